import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as packet from "dns-packet";
import fc from "fast-check";
import { rcodes, types } from "./codes.ts";
import { nameOf } from "./name.ts";
import { encodeSections } from "./sections.ts";
import { answerRecords, readUpstreamAnswer } from "./upstream-answer.ts";

const question = { name: nameOf("www.example.com"), type: types.A };
const soa = {
  mname: "ns.example.com",
  rname: "x.example.com",
  serial: 1,
  refresh: 2,
  retry: 3,
  expire: 4,
  minimum: 60,
};

function answer(given: Partial<packet.Packet>): Buffer {
  return packet.encode({
    type: "response",
    id: 9,
    questions: [{ name: "www.EXAMPLE.com", type: "A" }],
    ...given,
  });
}

describe("an answer from upstream", () => {
  it("is kept as it came, without the OPT record", () => {
    const read = readUpstreamAnswer(
      answer({
        answers: [
          { name: "www.example.com", type: "CNAME", ttl: 300, data: "web.example.com" },
          { name: "web.example.com", type: "A", ttl: 60, data: "192.0.2.1" },
        ],
        additionals: [{ type: "OPT", name: ".", udpPayloadSize: 4096 } as packet.OptAnswer],
      }),
      question,
    );
    assert.ok(read !== undefined);
    assert.equal(read.id, 9);
    assert.equal(read.ttl, 60);
    assert.equal(read.sections.answers, 2);
    assert.equal(read.sections.additionals, 0);
    const ttls = read.ttlOffsets.map((offset) =>
      Buffer.from(read.sections.bytes, "latin1").readUInt32BE(offset),
    );
    assert.deepEqual(ttls, [300, 60]);
  });

  it("can be written behind another question", () => {
    const mail = { preference: 10, exchange: "mail.example.com" };
    const service = { priority: 1, weight: 2, port: 3, target: "t.example.com" };
    const given: packet.Answer[] = [
      { name: "www.example.com", type: "CNAME", ttl: 300, data: "web.example.com" },
      { name: "web.example.com", type: "AAAA", ttl: 60, data: "2001:db8::1" },
      { name: "web.example.com", type: "MX", ttl: 60, data: mail },
      { name: "web.example.com", type: "SRV", ttl: 60, data: service },
      { name: "web.example.com", type: "SOA", ttl: 60, data: soa },
      { name: "web.example.com", type: "NS", ttl: 60, data: "ns.example.com" },
    ];
    const read = readUpstreamAnswer(answer({ answers: given }), question);
    assert.ok(read !== undefined);
    const records = answerRecords(question, read.sections);
    const { bytes, answers } = encodeSections(nameOf("x"), { answers: records });
    const head = Buffer.from([0, 0, 0x80, 0, 0, 1, 0, answers, 0, 0, 0, 0, 1, 120, 0, 0, 1, 0, 1]);
    const decoded =
      packet.decode(Buffer.concat([head, Buffer.from(bytes, "latin1")])).answers ?? [];
    const plain = decoded.map((each) => ("data" in each ? [each.name, each.ttl, each.data] : []));
    assert.deepEqual(
      plain,
      given.map((each) => ("data" in each ? [each.name, each.ttl, each.data] : [])),
    );
  });

  it("that there is nothing lasts as long as the zone says", () => {
    const authorities: packet.Answer[] = [
      { name: "example.com", type: "SOA", ttl: 900, data: soa },
    ];
    const read = readUpstreamAnswer(answer({ flags: rcodes.NXDOMAIN, authorities }), question);
    assert.equal(read?.rcode, rcodes.NXDOMAIN);
    assert.equal(read?.ttl, 60);
    assert.equal(readUpstreamAnswer(answer({}), question)?.ttl, 0);
  });

  it("to another question is none", () => {
    const other = [{ name: "www.example.org", type: "A" }] satisfies packet.Question[];
    assert.equal(readUpstreamAnswer(answer({ questions: other }), question), undefined);
    assert.equal(readUpstreamAnswer(answer({}), { ...question, type: types.AAAA }), undefined);
    assert.equal(readUpstreamAnswer(answer({ type: "query" }), question), undefined);
    assert.equal(readUpstreamAnswer(answer({ questions: [] }), question), undefined);
  });

  it("of any bytes is read without failing", () => {
    const valid = answer({
      answers: [
        { name: "www.example.com", type: "CNAME", ttl: 300, data: "web.example.com" },
        { name: "web.example.com", type: "SOA", ttl: 60, data: soa },
      ],
    });
    const change = fc.tuple(fc.nat(valid.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), fc.nat(valid.length), (changes, length) => {
        const message = Buffer.from(valid);
        for (const [at, value] of changes) message[at] = value;
        const read = readUpstreamAnswer(message.subarray(0, length), question);
        if (read === undefined) return;
        for (const record of answerRecords(question, read.sections)) {
          assert.ok(record.name.length <= 254 + 64);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("with pointers in a circle has no such record", () => {
    const start = 12 + question.name.length + 5;
    const circle = [0xc0, start, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 1, 2, 3, 4];
    const message = Buffer.concat([answer({}), Buffer.from(circle)]);
    message[7] = 1;
    const read = readUpstreamAnswer(message, question);
    assert.ok(read !== undefined);
    assert.deepEqual(answerRecords(question, read.sections), []);
  });
});
