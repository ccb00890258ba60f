import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as packet from "dns-packet";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { dnsMetrics } from "../metrics.ts";
import { rcodes, types } from "../wire/codes.ts";
import { nameOf } from "../wire/name.ts";
import type { Reply } from "../wire/reply.ts";
import { readUpstreamAnswer, type UpstreamAnswer } from "../wire/upstream-answer.ts";
import { AnswerCache } from "./cache.ts";
import type { UpstreamQuestion } from "./exchange.system.ts";
import { Forwarder } from "./forwarder.ts";
import { Recursion } from "./recursion.ts";
import { nameServersOf } from "./resolv-conf.ts";

const question = {
  name: nameOf("www.example.com"),
  type: types.A,
  dnssecOk: false,
  checkingDisabled: false,
};

function answered(ttl = 100, rcode: number = rcodes.NOERROR, data = "192.0.2.1"): UpstreamAnswer {
  const answers: packet.Answer[] = [{ name: "www.example.com", type: "A", ttl, data }];
  const message = packet.encode({
    type: "response",
    flags: rcode,
    questions: [{ name: "www.example.com", type: "A" }],
    ...(rcode === rcodes.NOERROR ? { answers } : {}),
  });
  const read = readUpstreamAnswer(message, question);
  assert.ok(read !== undefined);
  return read;
}

type Behaviour = (question: UpstreamQuestion) => Promise<UpstreamAnswer>;

function setUp(behaviours: readonly Behaviour[], { staleMs = 0, maximumBytes = 1e6 } = {}) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLog({ format: "text", write: (line) => lines.push(line) });
  const asked: number[] = [];
  const exchange = (server: { port: number }, asking: UpstreamQuestion) => {
    asked.push(server.port);
    return behaviours[server.port]?.(asking) ?? Promise.reject(new Error("nobody there"));
  };
  const servers = behaviours.map((_, port) => ({ host: "192.0.2.53", port }));
  const forwarder = new Forwarder({ servers, exchange, clock, log, onOutcome: () => undefined });
  const cache = new AnswerCache({ clock, maximumBytes, staleMs });
  const recursion = new Recursion({
    forwarder,
    cache,
    exchange,
    clock,
    random: new FakeRandom(),
    metrics: dnsMetrics(new Registry()),
    log,
  });
  return { clock, lines, asked, forwarder, cache, recursion };
}

const works: Behaviour = () => Promise.resolve(answered());
const fails: Behaviour = () => Promise.reject(new Error("no answer"));
const refuses: Behaviour = () => Promise.resolve(answered(0, rcodes.REFUSED));

/** The TTL of the first record. */
function ttlOf({ sections }: Reply): number {
  return Buffer.from(sections.bytes, "latin1").readUInt32BE(sections.bytes.length - 10);
}

describe("a forwarder", () => {
  it("asks the next when one fails, and those that fail twice last", async () => {
    const { forwarder, asked, clock, lines } = setUp([fails, works]);
    await forwarder.ask(question);
    await forwarder.ask(question);
    assert.deepEqual(asked, [0, 1, 0, 1]);
    await forwarder.ask(question);
    assert.deepEqual(asked.slice(4), [1]);
    assert.equal(lines.length, 1);
    await clock.advance(11_000);
    await forwarder.ask(question);
    assert.deepEqual(asked.slice(5), [0, 1]);
  });

  it("asks another when one does not want to answer, and passes that on when all do not", async () => {
    const one = setUp([refuses, works]);
    assert.equal((await one.forwarder.ask(question)).rcode, rcodes.NOERROR);
    const all = setUp([refuses, fails]);
    assert.equal((await all.forwarder.ask(question)).rcode, rcodes.REFUSED);
    await assert.rejects(setUp([fails]).forwarder.ask(question), /no answer/);
    await assert.rejects(setUp([]).forwarder.ask(question), /there is no upstream/);
  });

  it("asks once what many ask for at the same time", async () => {
    const { forwarder, asked } = setUp([works]);
    await Promise.all([forwarder.ask(question), forwarder.ask(question)]);
    assert.deepEqual(asked, [0]);
    await forwarder.ask({ ...question, dnssecOk: true });
    assert.deepEqual(asked, [0, 0]);
  });
});

describe("what is known from upstream", () => {
  it("is told with the time that is left, until it runs out", async () => {
    const { recursion, clock, asked } = setUp([works]);
    assert.equal(ttlOf(await recursion.ask(question)), 100);
    await clock.advance(40_000);
    assert.equal(ttlOf(await recursion.ask(question)), 60);
    assert.equal(asked.length, 1);
    await clock.advance(60_000);
    assert.equal(ttlOf(await recursion.ask(question)), 100);
    assert.equal(asked.length, 2);
  });

  it("is asked for again before it runs out, when it is popular", async () => {
    const { recursion, clock, asked } = setUp([works]);
    for (let count = 0; count < 4; count++) await recursion.ask(question);
    await clock.advance(95_000);
    assert.equal(ttlOf(await recursion.ask(question)), 5);
    await clock.advance(0);
    assert.equal(asked.length, 2);
    assert.equal(ttlOf(await recursion.ask(question)), 100);
  });

  it("takes no more memory than it may", () => {
    const { cache } = setUp([], { maximumBytes: 10_000 });
    for (let count = 0; count < 1_000; count++) cache.put(`key-${count}`, answered());
    assert.ok(cache.bytes <= 10_000 && cache.size > 10);
    assert.ok(cache.get("key-999") !== undefined);
    assert.equal(cache.get("key-0"), undefined);
  });

  it("keeps those that are asked for when others have to go", () => {
    const { cache } = setUp([], { maximumBytes: 2_000 });
    for (const key of ["a", "b", "c"]) cache.put(key, answered());
    cache.get("a");
    cache.put("d", answered());
    cache.put("e", answered());
    assert.ok(cache.get("a") !== undefined);
    assert.equal(cache.get("b"), undefined);
  });

  it("is told after its time only where that is wanted, and nobody answers", async () => {
    for (const staleMs of [0, 60_000]) {
      let isDown = false;
      const { recursion, clock } = setUp([() => (isDown ? fails(question) : works(question))], {
        staleMs,
      });
      await recursion.ask(question);
      isDown = true;
      await clock.advance(120_000);
      const reply = await recursion.ask(question);
      assert.equal(reply.rcode, staleMs === 0 ? rcodes.SERVFAIL : rcodes.NOERROR);
      if (staleMs > 0) assert.equal(ttlOf(reply), 30);
      await clock.advance(60_000);
      assert.equal((await recursion.ask(question)).rcode, rcodes.SERVFAIL);
    }
  });

  it("of failures is forgotten soon", async () => {
    const { recursion, clock, asked } = setUp([refuses]);
    await recursion.ask(question);
    await recursion.ask(question);
    assert.equal(asked.length, 1);
    await clock.advance(3_000);
    await recursion.ask(question);
    assert.equal(asked.length, 2);
  });
});

describe("an upstream that forwards to us", () => {
  it("is found out and asked no more", async () => {
    const setting = setUp([
      async (asking) => {
        await setting.recursion.ask(asking);
        return answered();
      },
      works,
    ]);
    await setting.recursion.findLoops();
    setting.asked.length = 0;
    await setting.recursion.ask(question);
    assert.deepEqual(setting.asked, [1]);
    assert.match(setting.lines.join(""), /forwards to this server/);
    assert.ok(setting.recursion.isAvailable);
  });

  it("is found out later when it is slow", async () => {
    const probes: UpstreamQuestion[] = [];
    const setting = setUp([
      async (asking) => {
        probes.push(asking);
        throw new Error("no answer");
      },
    ]);
    await setting.recursion.findLoops();
    assert.equal(setting.recursion.isAvailable, true);
    for (const probe of probes) await setting.recursion.ask(probe);
    assert.equal(setting.recursion.isAvailable, false);
  });

  it("alone leaves nobody to ask", async () => {
    const setting = setUp([
      async (asking) => {
        await setting.recursion.ask(asking);
        return answered();
      },
    ]);
    await setting.recursion.findLoops();
    assert.equal(setting.recursion.isAvailable, false);
  });
});

describe("resolv.conf", () => {
  it("names servers of both families", () => {
    const text =
      "# nameserver 9.9.9.9\nsearch a.b\nnameserver 10.0.0.1 \n nameserver fd00::53\nnameserver fe80::1%eth0\n";
    assert.deepEqual(nameServersOf(text), [
      { host: "10.0.0.1", port: 53 },
      { host: "fd00::53", port: 53 },
    ]);
  });
});
