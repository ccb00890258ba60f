// Users of a store without an API server in between: they increase a counter by compare-and-swap, follow all
// changes, and compact.

import {
  isExpired,
  isUnavailable,
  isUnknownOutcome,
  type Store,
} from "../../../src/control/store/store.ts";
import type { Process } from "../process.ts";
import { Violation } from "../simulation.ts";
import type { World } from "../world.ts";
import type { Acknowledged } from "./users.ts";

const prefix = "/registry/core/configmaps/default/";

/** The state that the followers of all processes have put together. */
export type Followed = Map<string, ReadonlyMap<string, number>>;

export function storeUser(world: World, acknowledged: Acknowledged, followed: Followed) {
  return async (process: Process): Promise<void> => {
    process.onDeath = () => {
      followed.delete(process.name);
      world.crashDisk();
    };
    const store = await world.openStore(process);
    world.simulation.start(process, () => follow(store, process, followed));
    for (;;) {
      await process.clock.sleep(world.simulation.draw(0, 4) * 100);
      if (world.isTroubled) await unlessUnavailable(write(world, store, acknowledged));
    }
  };
}

async function write(world: World, store: Store, acknowledged: Acknowledged): Promise<void> {
  const { simulation } = world;
  if (simulation.chance(0.05)) {
    await store.compact(Math.max(1, (await store.revision()) - simulation.draw(0, 20)));
    return;
  }
  const name = simulation.pick(["counter-a", "counter-b"]);
  const key = `${prefix}${name}`;
  const floor = acknowledged.floor(name);
  const found = await store.get(key);
  const value = found === undefined ? 0 : valueOf(found.value);
  if (value < floor) throw new Violation(`${name} was read as ${value} after ${floor} was told`);
  const object = { metadata: { name }, data: { value: String(value + 1) } };
  const beside = `${prefix}beside-${simulation.draw(0, 5)}`;
  const { ok } = await store.commit({
    compare: [{ key, modified: found?.modified ?? 0 }],
    operations: [
      { type: "put", key, value: Buffer.from(JSON.stringify(object)) },
      simulation.chance(0.5)
        ? { type: "put", key: beside, value: Buffer.from('{"metadata":{"name":"beside"}}') }
        : { type: "delete", key: beside },
    ],
  });
  if (ok) acknowledged.increased(name, value + 1);
}

function valueOf(bytes: Uint8Array): number {
  const { data } = JSON.parse(Buffer.from(bytes).toString()) as { data: { value: string } };
  return Number(data.value);
}

/** Lists, then watches; each entry must be newer than the one before it. */
async function follow(store: Store, process: Process, followed: Followed): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    await unlessUnavailable(
      (async () => {
        const { entries, revision } = await store.list(prefix);
        const state = new Map(entries.map(({ key, modified }) => [key, modified]));
        followed.set(process.name, state);
        for await (const { changes } of store.watch(prefix, { after: revision, signal })) {
          for (const { type, key, modified } of changes) {
            const before = state.get(key) ?? 0;
            if (modified <= before)
              throw new Violation(`${key} went from ${before} to ${modified}`);
            if (type === "delete") state.delete(key);
            else state.set(key, modified);
          }
        }
      })(),
    );
    await process.clock.sleep(100);
  }
}

async function unlessUnavailable(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!isUnavailable(error) && !isUnknownOutcome(error) && !isExpired(error)) throw error;
  }
}
