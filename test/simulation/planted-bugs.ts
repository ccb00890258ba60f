// Bugs that are planted to show that the simulation finds them. Each is a wrong implementation behind a port.

import { unanswered } from "../../src/api/client/errors.ts";
import type { ApiRequest, Transport } from "../../src/api/client/transport.ts";
import type { Store } from "../../src/control/store/port.ts";
import type { View } from "../../src/node/ipam/datastore/port.ts";
import type { Planted } from "./planted.ts";

/** The bugs by name: what a tired programmer could have written. */
export const plantedBugs: Readonly<Record<string, Planted>> = {
  "compare-and-swap takes a revision that is a little newer": {
    store: (store) => wrapped(store, { commit: (transaction) => sloppyCommit(store, transaction) }),
  },
  "a watch of the store that breaks off goes on from now": {
    storeClient: (client, etcd) => {
      client.resumeAfter = () => etcd.revision;
    },
  },
  "a leader takes a renewal that got no answer for done": {
    transport: (transport, process) =>
      process.startsWith("controllers")
        ? sending(transport, (request, send) =>
            request.method === "PUT" && request.path.includes("/leases/")
              ? send().catch(() => renewed(request))
              : send(),
          )
        : transport,
  },
  "an allocation that is repeated is not recognised": {
    datastore: (datastore) =>
      wrapped(datastore, {
        transact: (scope, decide) =>
          datastore.transact(scope, (view) => decide(wrapped<View>(view, { held: [] }))),
      }),
  },
  "a read is answered without asking for the newest revision": {
    store: (store) => wrapped(store, { revision: () => Promise.resolve(1) }),
  },
  "a deletion is lost on its way to watchers": {
    transport: (transport, _, simulation) => ({
      ...methodsOf(transport),
      open: async (request) => {
        const stream = await transport.open(request);
        const isKept = (line: string) =>
          !line.startsWith('{"type":"DELETED"') || simulation.chance(0.7);
        return { ...stream, body: filtered(stream.body, isKept) };
      },
    }),
  },
  "addresses are allocated from a list that is not checked again": {
    ipamClient: (client) =>
      wrapped(client, { txn: (request) => client.txn({ ...request, compare: [] }) }),
  },
  "endpoints take every pod for ready": {
    transport: (transport, process) =>
      process.startsWith("controllers") ? sending(transport, readyPods) : transport,
  },
  "a node that was cut off keeps its virtual address": {
    machine: (machine) => {
      machine.hasLifetimes = false;
    },
  },
  "compaction drops a live key": {
    etcd: (etcd, simulation) => {
      const compact = etcd.compact.bind(etcd);
      etcd.compact = (revision) => {
        compact(revision);
        const old = [...etcd.entries.values()].filter(({ modRevision }) => modRevision < revision);
        const dropped = old[simulation.draw(0, Math.max(1, old.length))];
        if (dropped !== undefined) etcd.entries.delete(dropped.key);
      };
    },
  },
  "the disk says that it has written what it has not": {
    disk: (disk) => {
      disk.isHonest = false;
    },
  },
};

/** An object with some of its methods replaced; the others work on the object itself. */
function wrapped<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get(object, name) {
      if (name in replaced) return replaced[name as keyof T];
      const value = Reflect.get(object, name) as unknown;
      return typeof value === "function" ? (value.bind(object) as unknown) : value;
    },
  });
}

async function sloppyCommit(
  store: Store,
  transaction: Parameters<Store["commit"]>[0],
): ReturnType<Store["commit"]> {
  const committed = await store.commit(transaction);
  if (committed.ok) return committed;
  const found = await Promise.all(transaction.compare.map(({ key }) => store.get(key)));
  const compare = transaction.compare.map(({ key, modified }, index) => {
    const newer = found[index]?.modified ?? 0;
    return { key, modified: modified !== 0 && newer <= modified + 2 ? newer : modified };
  });
  return store.commit({ ...transaction, compare });
}

function methodsOf(transport: Transport): Transport {
  return {
    send: (request) => transport.send(request),
    open: (request) => transport.open(request),
    upgrade: (request) => transport.upgrade(request),
    close: () => transport.close(),
  };
}

type Sent = ReturnType<Transport["send"]>;

function sending(
  transport: Transport,
  change: (request: ApiRequest, send: () => Sent) => Sent,
): Transport {
  return {
    ...methodsOf(transport),
    send: (request) => change(request, () => transport.send(request)),
    open: async (request) => {
      const stream = await transport.open(request);
      return { ...stream, body: mapped(stream.body, change === readyPods ? asReady : same) };
    },
  };
}

/** The answer that a server would have given to the renewal. */
function renewed({ body = "", method, path }: ApiRequest): Awaited<Sent> {
  if (body === "") throw unanswered(`${method} ${path}`, { reason: "TimedOut", state: "no body" });
  return { status: 200, headers: {}, body: Buffer.from(body) };
}

async function readyPods(_: ApiRequest, send: () => Sent): Sent {
  const answer = await send();
  return { ...answer, body: asReady(answer.body) };
}

function asReady(part: Buffer): Buffer {
  const text = part.toString();
  return Buffer.from(
    text.replaceAll('"type":"Ready","status":"False"', '"type":"Ready","status":"True"'),
  );
}

function same(part: Buffer): Buffer {
  return part;
}

async function* mapped(
  body: AsyncIterable<Buffer>,
  change: (part: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  for await (const part of body) yield change(part);
}

async function* filtered(
  body: AsyncIterable<Buffer>,
  isKept: (line: string) => boolean,
): AsyncGenerator<Buffer> {
  for await (const part of body) {
    const lines = part.toString().split(/(?<=\n)/);
    yield Buffer.from(lines.filter(isKept).join(""));
  }
}
