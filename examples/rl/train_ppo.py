"""Trains a policy with the MaskablePPO of sb3-contrib against players of the arena, and saves it as a model.

pip install 'checkers-arena[rl]' sb3-contrib
python train_ppo.py --opponent random --steps 100000 --seed 1 --output ppo.safetensors
arena tournament --players policy:file=ppo.safetensors,random --games 100 --seed 1
"""

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import arena.rl


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a policy with MaskablePPO.")
    parser.add_argument("--opponent", default="random", help="spec of the player to learn against")
    parser.add_argument("--steps", type=int, default=100_000, help="actions to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", default="ppo.safetensors", help="new file of the policy")
    given = parser.parse_args()
    torch.set_num_threads(1)  # more threads make small networks slower
    environment = gymnasium.make(arena.rl.ONE_SEAT, opponent=given.opponent)
    model = MaskablePPO("MlpPolicy", environment, seed=given.seed, gamma=0.99, n_steps=2048, verbose=1, device="cpu")
    model.learn(given.steps)
    layers = arena.rl.layers_of(model.policy.mlp_extractor.policy_net, model.policy.action_net)
    provenance = {
        "algorithm": "MaskablePPO",
        "opponent": given.opponent,
        "steps": str(model.num_timesteps),
        "seed": str(given.seed),
    }
    arena.rl.save_policy(given.output, layers, provenance=provenance)


if __name__ == "__main__":
    main()
