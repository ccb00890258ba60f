import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { Registry } from "../../base/program/metrics.ts";
import { Client } from "./client.ts";
import { unanswered } from "./errors.ts";
import { LeaderElection, type LeaderElectionOptions } from "./leader-election.ts";
import { FakeApi } from "./testing/api.ts";
import type { ApiRequest, Transport } from "./transport/message.ts";

const lease = { namespace: "kube-system", name: "test" };
const silent = createLog({ format: "text", write: () => undefined });

/** A candidate with a connection of its own, which can be cut. */
class Candidate {
  readonly identity: string;
  readonly election: LeaderElection;
  isCut = false;
  /** Whether responses to writes are lost, though the writes were carried out. */
  isDeaf = false;
  leads = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    group: { readonly api: FakeApi; readonly clock: FakeClock; readonly leaders: Set<string> },
    identity: string,
    options: Partial<LeaderElectionOptions> = {},
  ) {
    const { api, clock, leaders } = group;
    this.identity = identity;
    const leases = new Client(this.#connection(api, clock), { fieldManager: identity }).resource(
      "coordination.k8s.io/v1",
      "Lease",
    );
    this.election = new LeaderElection({
      leases,
      lease,
      identity,
      clock,
      random: new FakeRandom(identity.charCodeAt(0)),
      log: silent,
      lead: async (signal) => {
        assert.deepEqual([...leaders], [], `${identity} leads beside another`);
        leaders.add(identity);
        this.leads += 1;
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        leaders.delete(identity);
      },
      ...options,
    });
    this.#running = this.election.run(this.#stop.signal);
    this.#running.catch(() => undefined);
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.#running;
  }

  /** A transport in which every request takes a while, and none gets through while the connection is cut. */
  #connection(api: FakeApi, clock: FakeClock): Transport {
    const pass = async <T>(request: ApiRequest, carryOut: () => Promise<T>): Promise<T> => {
      await clock.sleep(20, request.signal);
      if (this.isCut) {
        await clock.sleep(request.timeoutMs ?? 1_000, request.signal);
        throw unanswered("GET", { reason: "TimedOut", state: "cut" });
      }
      const answer = await carryOut();
      await clock.sleep(20, request.signal);
      if (this.isDeaf) throw unanswered("PUT", { reason: "ConnectionLost", state: "deaf" });
      return answer;
    };
    return {
      send: (request) => pass(request, () => api.send(request)),
      open: (request) => pass(request, () => api.open(request)),
      upgrade: (request) => api.upgrade(request),
      close: () => undefined,
    };
  }
}

function setUp() {
  const group = { api: new FakeApi(), clock: new FakeClock(), leaders: new Set<string>() };
  const leases = group.api.client.resource("coordination.k8s.io/v1", "Lease");
  return { ...group, group, leases, leader: () => [...group.leaders].join() };
}

describe("leader election", () => {
  test("the first takes the lease and renews it", async () => {
    const { group, clock, leases, leader } = setUp();
    const metrics = new Registry();
    const a = new Candidate(group, "a", { metrics });
    await clock.advance(1_000);
    assert.equal(leader(), "a");
    assert.ok(a.election.isLeading);
    assert.match(metrics.render(), /^leader_election_master_status\{name="test"\} 1$/m);
    const first = await leases.get(lease);
    assert.deepEqual(
      [first.spec.holderIdentity, first.spec.leaseDurationSeconds, first.spec.leaseTransitions],
      ["a", 15, 0],
    );
    assert.match(first.spec.renewTime ?? "", /^2026-01-01T00:00:00\.\d{6}Z$/);
    await clock.advance(60_000);
    const later = await leases.get(lease);
    assert.equal(later.spec.acquireTime, first.spec.acquireTime);
    assert.ok((later.spec.renewTime ?? "") > "2026-01-01T00:00:55");
    assert.equal(a.leads, 1);
    const stopping = a.stop();
    await clock.advance(1_000);
    await stopping;
    assert.match(metrics.render(), /^leader_election_master_status\{name="test"\} 0$/m);
  });

  test("the next takes over at once when the leader stops", async () => {
    const { group, clock, leases, leader } = setUp();
    const a = new Candidate(group, "a");
    await clock.advance(500);
    const b = new Candidate(group, "b");
    await clock.advance(5_000);
    assert.equal(leader(), "a");
    const stopping = a.stop();
    await clock.advance(200);
    await stopping;
    assert.equal(leader(), "b");
    assert.equal((await leases.get(lease)).spec.leaseTransitions, 1);
    const last = b.stop();
    await clock.advance(200);
    await last;
    assert.equal((await leases.get(lease)).spec.holderIdentity, undefined);
  });

  test("a leader that is cut off stops before another begins", async () => {
    const { group, clock, leader } = setUp();
    const a = new Candidate(group, "a");
    await clock.advance(500);
    const b = new Candidate(group, "b");
    await clock.advance(5_000);
    a.isCut = true;
    await clock.advance(10_500);
    assert.equal(leader(), "");
    assert.equal(a.election.isLeading, false);
    await clock.advance(12_000);
    assert.equal(leader(), "b");
    a.isCut = false;
    await clock.advance(30_000);
    assert.equal(leader(), "b");
    const stopping = b.stop();
    await clock.advance(5_000);
    await stopping;
    assert.equal(leader(), "a");
    const last = a.stop();
    await clock.advance(5_000);
    await last;
  });

  test("the lease of one that died is taken when it has run out, by its own terms", async () => {
    const { group, clock, leases, leader } = setUp();
    await leases.create({
      metadata: lease,
      spec: { holderIdentity: "dead", leaseDurationSeconds: 40, leaseTransitions: 5 },
    });
    const a = new Candidate(group, "a");
    await clock.advance(39_000);
    assert.equal(leader(), "");
    await clock.advance(6_000);
    assert.equal(leader(), "a");
    assert.equal((await leases.get(lease)).spec.leaseTransitions, 6);
    const stopping = a.stop();
    await clock.advance(1_000);
    await stopping;
  });

  test("a renewal whose answer was lost does no harm", async () => {
    const { group, clock, leader } = setUp();
    const a = new Candidate(group, "a");
    await clock.advance(1_000);
    a.isDeaf = true;
    await clock.advance(4_000);
    a.isDeaf = false;
    await clock.advance(60_000);
    assert.deepEqual([leader(), a.leads], ["a", 1]);
    const stopping = a.stop();
    await clock.advance(1_000);
    await stopping;
  });

  test("one who sees another's name in the lease stops at once", async () => {
    const { group, clock, leases, leader } = setUp();
    const a = new Candidate(group, "a");
    await clock.advance(1_000);
    await leases.patch(lease, { merge: { spec: { holderIdentity: "somebody" } } });
    await clock.advance(3_000);
    assert.equal(leader(), "");
    const stopping = a.stop();
    await clock.advance(20_000);
    await stopping;
  });

  test("work that ends by itself gives the lease back; work that fails says so", async () => {
    const { group, clock, leases } = setUp();
    const done = new Candidate(group, "a", { lead: () => Promise.resolve() });
    await clock.advance(1_000);
    await done.stop();
    assert.equal((await leases.get(lease)).spec.holderIdentity, undefined);
    const broken = new Candidate(group, "b", { lead: () => Promise.reject(new Error("broken")) });
    await clock.advance(1_000);
    await assert.rejects(broken.stop(), /broken/);
    assert.equal((await leases.get(lease)).spec.holderIdentity, undefined);
  });

  test("times that cannot work are refused", () => {
    const { group } = setUp();
    assert.throws(
      () => new Candidate(group, "a", { renewDeadlineMs: 15_000 }),
      /2000 ms to retry, 15000 ms to renew and 15000 ms of lease do not ascend/,
    );
  });
});

test("never two leaders at a time, and in the end one, whatever connections do", async () => {
  const step = fc.record({
    who: fc.nat(2),
    what: fc.constantFrom("cut", "mend", "deaf", "hear", "restart"),
    wait: fc.integer({ min: 0, max: 12_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { group, clock, leader } = setUp();
      let serial = 0;
      const candidates = ["a", "b", "c"].map((name) => new Candidate(group, name));
      const stopped: Promise<void>[] = [];
      for (const { who, what, wait } of steps) {
        const candidate = candidates[who] ?? assert.fail();
        if (what === "cut" || what === "mend") candidate.isCut = what === "cut";
        if (what === "deaf" || what === "hear") candidate.isDeaf = what === "deaf";
        if (what === "restart") {
          stopped.push(candidate.stop());
          candidates[who] = new Candidate(group, `${candidate.identity[0]}${serial++}`);
        }
        await clock.advance(wait);
        assert.ok(group.leaders.size <= 1);
      }
      for (const candidate of candidates) {
        candidate.isCut = false;
        candidate.isDeaf = false;
      }
      await clock.advance(60_000);
      assert.notEqual(leader(), "");
      stopped.push(...candidates.map((candidate) => candidate.stop()));
      await clock.advance(60_000);
      await Promise.all(stopped);
    }),
    { numRuns: 40 },
  );
});
