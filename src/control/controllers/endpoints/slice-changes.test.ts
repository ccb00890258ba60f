import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { planSlices } from "./slice-changes.ts";
import { identityOf, type SliceGroup } from "./slice-groups.ts";

/** The slices of one service, reconciled again and again. */
class Slices {
  readonly present = new Map<string, EndpointSlice>();
  readonly #maximum: number;

  constructor(maximum = 100) {
    this.#maximum = maximum;
  }

  /** Updates the slices; returns the number of writes. */
  update(groups: readonly SliceGroup[], labels: Record<string, string> = {}): number {
    const changes = planSlices({
      groups,
      present: [...this.present.values()],
      owner: { namespace: "default", name: "web", metadata: { labels } },
      isTaken: (name) => this.present.has(name),
      maximum: this.#maximum,
    });
    for (const { metadata } of changes.delete) this.present.delete(metadata.name);
    for (const slice of changes.update) this.present.set(slice.metadata.name, slice);
    for (const draft of changes.create) {
      const { name = "" } = draft.metadata;
      assert.ok(!this.present.has(name), `${name} is new`);
      const metadata = { ...draft.metadata, name };
      const type = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" } as const;
      this.present.set(name, { ...draft, ...type, metadata });
    }
    return changes.create.length + changes.update.length + changes.delete.length;
  }

  get sizes(): number[] {
    return [...this.present.values()].map(({ endpoints = [] }) => endpoints.length);
  }

  /** The content as a reader sees it: every endpoint with the ports of its slice. */
  get content(): string[] {
    return [...this.present.values()].flatMap(({ addressType, ports, endpoints = [] }) =>
      endpoints.map((each) => JSON.stringify([addressType, ports, each])),
    );
  }
}

function endpoint(number: number, ready = true): Endpoint {
  return { addresses: [`10.0.${number >> 8}.${number & 255}`], conditions: { ready } };
}

function group(numbers: Iterable<number>, port = 80): SliceGroup {
  const endpoints = [...numbers].map((number) => endpoint(number));
  return {
    family: "IPv4",
    ports: [{ name: "", protocol: "TCP", port }],
    endpoints: new Map(endpoints.map((each) => [identityOf(each), each])),
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

test("[EP-3] a slice holds a hundred endpoints at most", () => {
  const slices = new Slices();
  assert.equal(slices.update([group(upTo(1000))]), 10);
  assert.deepEqual(
    slices.sizes,
    Array.from({ length: 10 }, () => 100),
  );
  assert.equal(slices.update([group(upTo(1001))]), 1);
});

test("[EP-6] of a thousand endpoints, one that comes, goes or changes is one write", () => {
  const slices = new Slices();
  slices.update([group(upTo(1000))]);
  assert.equal(slices.update([group(upTo(1000))]), 0, "nothing changes");
  assert.equal(slices.update([group(upTo(999))]), 1, "one goes");
  assert.equal(slices.update([group(upTo(1000))]), 1, "one comes");
  const changed = group(upTo(1000));
  const unready = new Map(changed.endpoints).set(identityOf(endpoint(500)), endpoint(500, false));
  assert.equal(slices.update([{ ...changed, endpoints: unready }]), 1, "one changes");
  assert.equal(
    slices.update([group([...upTo(500), ...upTo(1001).slice(501)])]),
    1,
    "one for another",
  );
});

test("[EP-6] the first endpoint takes the place of none, and the last leaves one empty slice", () => {
  const slices = new Slices();
  const none: SliceGroup = { family: "IPv4", ports: [], endpoints: new Map() };
  assert.equal(slices.update([none]), 1);
  assert.equal(slices.update([group([1])]), 1);
  assert.equal(slices.update([none]), 1);
  assert.deepEqual(slices.sizes, [0]);
});

test("[EP-6] other ports are written over the slices there are", () => {
  const slices = new Slices();
  slices.update([group(upTo(250), 80)]);
  assert.equal(slices.update([group(upTo(250), 81)]), 3);
});

test("labels of the service reach every slice", () => {
  const slices = new Slices();
  slices.update([group(upTo(150))]);
  assert.equal(slices.update([group(upTo(150))], { team: "blue" }), 2);
  assert.ok(
    [...slices.present.values()].every(({ metadata }) => metadata.labels?.["team"] === "blue"),
  );
});

test("a service that has shrunk gets along with few slices again", () => {
  const slices = new Slices(10);
  slices.update([group(upTo(1000))]);
  for (
    let rest = upTo(1000);
    rest.length > 20;
    rest = rest.filter((_, index) => index !== (rest.length * 7) % 13)
  ) {
    slices.update([group(rest)]);
  }
  assert.ok(slices.sizes.length <= 10, `${slices.sizes.length} slices for 20 endpoints`);
});

const state = fc.record({
  members: fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 31 }),
  others: fc.uniqueArray(fc.integer({ min: 40, max: 50 }), { maxLength: 10 }),
});

test("[EP-6] any sequence of changes ends in what a rebuild gives", () => {
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 12 }), (states) => {
      const slices = new Slices(5);
      for (const { members, others } of states) {
        const groups = [group(members, 80), group(others, 81)];
        slices.update(groups);
        assert.equal(slices.update(groups), 0, "settled");
        const rebuilt = new Slices(5);
        rebuilt.update(groups);
        assert.deepEqual(slices.content.toSorted(), rebuilt.content.toSorted());
        assert.ok(Math.max(...slices.sizes) <= 5);
      }
    }),
  );
});

test("[EP-6] one change is one write, and a deletion more at most", () => {
  const toggled = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 200 });
  fc.assert(
    fc.property(toggled, (numbers) => {
      const slices = new Slices(5);
      const members = new Set<number>();
      slices.update([group(members)]);
      for (const number of numbers) {
        if (!members.delete(number)) members.add(number);
        assert.ok(slices.update([group(members)]) <= 2);
        const filled = slices.sizes.length;
        assert.ok(members.size > 5 || filled <= 5, `${filled} slices for ${members.size}`);
      }
    }),
  );
});
