import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { beforeEach, describe, test } from "node:test";
import { systemRandom } from "../../../base/host/random.system.ts";
import { defined } from "../../../base/json/defined.ts";
import { Collection } from "../cache/collection.ts";
import { encodeStored, itemFromStored } from "../cache/item.ts";
import type { Core } from "../core.ts";
import type { HttpResponse } from "../http/message.ts";
import { type KeyParts, objectKey } from "../keys.ts";
import type { View } from "../views/view.ts";
import { WatchGroups } from "./groups.ts";
import { WatchStream } from "./stream.ts";

const id = "core/pods";

describe("[API-1] a watch that starts from a revision", () => {
  let collection: Collection;
  let lines: string[];
  beforeEach(() => {
    collection = new Collection(id, 10);
    lines = [];
  });

  for (const [place, key] of [
    ["all objects", undefined],
    ["those with one value of a field", { field: "x", value: "1", valuesOf: () => "1" }],
  ] as const) {
    test(`of ${place} misses no change that comes while it begins`, async () => {
      commit("a", 11);
      const stream = open({ filter: { id: "", key, matches: () => true } });
      const begun = stream.fromRevision(10);
      // The next batch of the store may be taken at any turn of the microtasks, this one included.
      commit("b", 12);
      await begun;
      commit("c", 13);
      assert.deepEqual(lines, ["ADDED a 11", "ADDED b 12", "ADDED c 13"]);
    });
  }

  test("that only the store has misses no change that comes while it begins", async () => {
    const turns = 40;
    for (let turn = 0; turn < turns; turn++) {
      collection = new Collection(id, 12);
      lines = [];
      const begun = open({ past: 11 }).fromRevision(10);
      for (let waited = 0; waited < turn; waited++) await Promise.resolve();
      commit("b", 13);
      await begun;
      assert.deepEqual(lines, ["ADDED past 11", "ADDED b 13"], `after ${turn} turns`);
    }
  });

  test("bookmarks no revision whose changes still wait for their conversion", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    let converted = Promise.resolve();
    await open({ prepare: () => converted }).fromRevision(12);
    t.mock.timers.tick(60_000);
    const slow = Promise.withResolvers<void>();
    converted = slow.promise;
    commit("a", 13);
    t.mock.timers.tick(60_000);
    slow.resolve();
    await new Promise(setImmediate);
    t.mock.timers.tick(60_000);
    assert.deepEqual(lines, ["BOOKMARK 12", "ADDED a 13", "BOOKMARK 12"]);
  });

  function commit(name: string, revision: number): void {
    collection.put(itemFromStored({ namespace: "n", name }, stored(name), { modified: revision }));
    collection.tell(revision, assert.ifError);
  }

  function stored(name: string): Buffer {
    return encodeStored({ kind: "Pod", apiVersion: "v1", metadata: { name } });
  }

  /** Opens a stream whose store has one change that the collection does not remember. */
  function open({
    filter = { id: "", matches: () => true },
    past = 0,
    prepare,
  }: Partial<Pick<ConstructorParameters<typeof WatchStream>[2], "filter">> & {
    past?: number;
    prepare?: View["prepare"];
  }) {
    const response = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(...chunk.toString().trim().split("\n").map(told));
        done();
      },
    });
    const core = {
      random: systemRandom,
      watches: new WatchGroups(),
      stop: new AbortController(),
      cache: {
        revision: 12,
        reached: () => Promise.resolve(),
        item: (place: KeyParts, value: Buffer, modified: number) =>
          itemFromStored(place, value, { modified }),
      },
      store: {
        revision: () => Promise.resolve(12),
        async *watch() {
          const change = { key: objectKey(id, "n", "past"), value: stored("past"), modified: past };
          yield { revision: 12, changes: [{ ...change, type: "put" }] };
        },
      },
    };
    const view: Partial<View> = {
      id: "",
      media: "json",
      single: ({ bytes }) => bytes,
      bookmark: (metadata) => Buffer.from(JSON.stringify({ metadata })),
      ...defined({ prepare }),
    };
    const wish = { namespace: undefined, bookmarks: true, timeoutSeconds: 1 };
    return new WatchStream(core as unknown as Core, response as unknown as HttpResponse, {
      ...wish,
      collection,
      filter,
      view: view as View,
    });
  }
});

function told(line: string): string {
  const { type, object } = JSON.parse(line) as {
    type: string;
    object: { metadata: { name?: string; resourceVersion: string } };
  };
  const { name, resourceVersion } = object.metadata;
  return [type, ...(name === undefined ? [] : [name]), resourceVersion].join(" ");
}
