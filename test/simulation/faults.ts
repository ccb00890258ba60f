// The faults of a run: restarts, partitions, slowness, lost and repeated messages, and clocks that jump. Each seed
// has a choice of kinds, since some bugs only show where others do not get in their way.

import type { Supervised, World } from "./world.ts";

type Fault = (world: World, programs: readonly Supervised[]) => void;

const faults: Readonly<Record<string, Fault>> = {
  restart: ({ simulation }, programs) => {
    simulation.pick(programs).restart(simulation.draw(1, 8_000));
  },
  partition: ({ simulation, network }, programs) => {
    const names = ["etcd", ...programs.map(({ name }) => name)];
    const one = simulation.pick(names);
    const others = simulation.chance(0.3) ? names : [simulation.pick(names)];
    for (const other of others) network.partition(one, other, true);
    const heal = (): void => {
      for (const other of others) network.partition(one, other, false);
    };
    simulation.after(simulation.draw(200, 25_000), heal, simulation.world);
  },
  slowness: ({ simulation, network }) => {
    network.slownessMs = simulation.draw(5, 1_500);
    const usual = (): void => {
      network.slownessMs = 5;
    };
    simulation.after(simulation.draw(500, 8_000), usual, simulation.world);
  },
  loss: ({ simulation, network }) => {
    network.lossRate = 0.3 * simulation.random.fraction();
    const none = (): void => {
      network.lossRate = 0;
    };
    simulation.after(simulation.draw(500, 8_000), none, simulation.world);
  },
  repeats: (world) => {
    world.duplicates = 0.5;
  },
  clocks: ({ simulation }, programs) => {
    simulation.pick(programs).process.skewMs += simulation.draw(-60_000, 60_000);
  },
};

/** Lets faults happen until the world is quiet. */
export function makeTrouble(world: World, programs: readonly Supervised[]): void {
  const { simulation } = world;
  const kinds = Object.values(faults).filter(() => simulation.chance(0.5));
  const pauseMs = simulation.draw(1_000, 10_000);
  const next = (): void => {
    if (!world.isTroubled || kinds.length === 0) return;
    simulation.pick(kinds)(world, programs);
    simulation.after(simulation.draw(0, 2 * pauseMs), next, simulation.world);
  };
  simulation.after(pauseMs, next, simulation.world);
}

export function calm(world: World): void {
  world.isTroubled = false;
  world.duplicates = 0;
  world.network.heal();
}
