// Requests to the server of this page. A failed request throws RequestError with the server's message.

export class RequestError extends Error {
  constructor(message, status, body) {
    super(message);
    this.status = status; // 0: the server did not answer
    this.body = body;
  }
}

async function answer(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new RequestError("The server does not answer.", 0, null);
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new RequestError(body?.error ?? `The server answered ${response.status}.`, response.status, body);
  return body;
}

export const get = (address) => answer(address, { headers: { Accept: "application/json" } });

export const post = (address, body = {}) =>
  answer(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
