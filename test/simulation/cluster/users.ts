// Users whose writes are acknowledged and must not be lost: counters that several of them increase, and journals
// that one of them keeps.

import type { Client } from "../../../src/api/client/client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../../src/api/client/errors.ts";
import type { Process } from "../process.ts";
import { Violation } from "../simulation.ts";
import type { World } from "../world.ts";

const namespace = "default";

/** What users were told, over all of their processes. */
export class Acknowledged {
  /** The greatest acknowledged value of each counter. */
  readonly counters = new Map<string, number>();
  /** The journals that were acknowledged: whether each exists. */
  readonly journals = new Map<string, boolean>();
  readonly #told = new Set<string>();

  increased(counter: string, value: number): void {
    const told = `${counter}=${value}`;
    if (this.#told.has(told)) throw new Violation(`two writers were told that ${told}`);
    this.#told.add(told);
    this.counters.set(counter, Math.max(value, this.counters.get(counter) ?? 0));
  }

  /** The least value that a read which begins now may return. */
  floor(counter: string): number {
    return this.counters.get(counter) ?? 0;
  }
}

export function user(world: World, acknowledged: Acknowledged) {
  return async (process: Process): Promise<void> => {
    const client = world.clientOf(process);
    const { simulation } = world;
    for (;;) {
      // Users who act at the same moment contend, as those that wait for the same event do.
      const isTogether = simulation.chance(0.6);
      const untilSecond = 1_000 - (simulation.now % 1_000);
      await process.clock.sleep(isTogether ? untilSecond : simulation.draw(50, 2_000));
      await unlessLost(
        simulation.chance(0.7)
          ? increase({ world, client, acknowledged })
          : keepJournal({ world, client, acknowledged }),
      );
    }
  };
}

interface Desk {
  readonly world: World;
  readonly client: Client;
  readonly acknowledged: Acknowledged;
}

async function increase({ world, client, acknowledged }: Desk): Promise<void> {
  const maps = client.resource("v1", "ConfigMap");
  const name = world.simulation.chance(0.8) ? "counter-a" : "counter-b";
  const floor = acknowledged.floor(name);
  const found = await maps.get({ namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
  const value = Number(found?.data?.["value"] ?? 0);
  if (value < floor) throw new Violation(`${name} was read as ${value} after ${floor} was told`);
  const data = { value: String(value + 1) };
  if (found === undefined) await maps.create({ metadata: { namespace, name }, data });
  else await maps.update({ ...found, data });
  acknowledged.increased(name, value + 1);
}

/** Creates an object and looks for it, or deletes one and looks again; nobody else writes it. */
async function keepJournal({ world, client, acknowledged }: Desk): Promise<void> {
  const maps = client.resource("v1", "ConfigMap");
  const { journals } = acknowledged;
  const known = [...journals.keys()];
  const name =
    known.length > 3 && world.simulation.chance(0.7)
      ? world.simulation.pick(known)
      : world.incarnation("journal");
  const exists = journals.get(name);
  // While a write is under way, or when its outcome is unknown, nothing is promised.
  journals.delete(name);
  const found = await maps.get({ namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
  if (exists !== undefined && exists !== (found !== undefined)) {
    throw new Violation(`${name} ${exists ? "is gone" : "is back"} though nobody wrote it`);
  }
  if (found === undefined) await maps.create({ metadata: { namespace, name } });
  else await maps.delete({ namespace, name });
  journals.set(name, found === undefined);
}

/** Waits for a request that may be refused or lost; whatever else fails is a violation. */
export async function unlessLost(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof Violation) throw error;
    if (!(error instanceof Error) || error.name !== "ApiError") throw error;
    if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return;
  }
}
