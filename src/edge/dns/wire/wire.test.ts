import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as packet from "dns-packet";
import fc from "fast-check";
import { Address } from "../../../base/net/address.ts";
import { anyAddress } from "../../../base/net/testing/arbitraries.ts";
import { flags, rcodes, types } from "./codes.ts";
import { nameOf, textOf } from "./name.ts";
import { isRefusal, type Query, readQuery } from "./query.ts";
import type { DnsRecord } from "./record.ts";
import { datagramLimit, refuse, writeReply } from "./reply.ts";
import { encodeSections, type SectionRecords } from "./sections.ts";

const label = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
const name = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join("."));

function ask(text: string, type: packet.RecordType, extra: Partial<packet.Packet> = {}): Query {
  const questions = [{ name: text, type }];
  const read = readQuery(packet.encode({ type: "query", id: 77, questions, ...extra }));
  assert.ok(read !== undefined && !isRefusal(read));
  return read;
}

const options = { limit: 65_535, recursionAvailable: false, turn: 0 };

function reply(query: Query, records: SectionRecords, given: Partial<typeof options> = {}) {
  const sections = encodeSections(query.name, records);
  const written = writeReply(
    query,
    { rcode: rcodes.NOERROR, isAuthoritative: true, sections },
    { ...options, ...given },
  );
  return { written, decoded: packet.decode(written) };
}

function addresses(text: string, count: number, base = "10.0.0.0"): DnsRecord[] {
  const first = Address.parse(base);
  return Array.from({ length: count }, (_, index) => ({
    name: nameOf(text),
    ttl: 5,
    data: { kind: "address", address: first.plus(BigInt(index)) },
  }));
}

describe("a question", () => {
  it("is read as an encoder of others wrote it", () => {
    fc.assert(
      fc.property(name, fc.nat(0xffff), fc.boolean(), (text, id, hasEdns) => {
        const additionals: packet.OptAnswer[] = [
          { type: "OPT", name: ".", udpPayloadSize: 4096, flags: 0x8000 } as packet.OptAnswer,
        ];
        const query = ask(text, "AAAA", { id, ...(hasEdns ? { additionals } : {}) });
        assert.equal(query.name, nameOf(text));
        assert.equal(query.id, id);
        assert.equal(query.type, types.AAAA);
        const edns = { size: 4096, version: 0, dnssecOk: true };
        assert.deepEqual(query.edns, hasEdns ? edns : undefined);
        assert.equal(datagramLimit(query), hasEdns ? 1232 : 512);
      }),
    );
  });

  it("is found in any case, and comes back as it was asked", () => {
    const query = ask("WeB.DeFaUlT", "A");
    assert.equal(query.name, nameOf("web.default"));
    const { decoded } = reply(query, { answers: addresses("web.default", 1) });
    assert.equal(decoded.questions?.[0]?.name, "WeB.DeFaUlT");
    assert.equal(decoded.answers?.[0]?.name, "WeB.DeFaUlT");
  });

  it("that is none is dropped, or refused with a code", () => {
    const valid = packet.encode({ type: "query", id: 1, questions: [{ name: "a", type: "A" }] });
    const changed = (at: number, value: number) => {
      const copy = Buffer.from(valid);
      copy[at] = value;
      return readQuery(copy);
    };
    assert.equal(readQuery(valid.subarray(0, 11)), undefined);
    assert.equal(changed(2, 0x80), undefined, "an answer");
    const rcodeOf = (read: ReturnType<typeof readQuery>) =>
      read !== undefined && isRefusal(read) ? read.rcode : undefined;
    assert.equal(rcodeOf(changed(2, 0x28)), rcodes.NOTIMP, "an update");
    assert.equal(rcodeOf(changed(5, 2)), rcodes.FORMERR, "two questions");
    assert.equal(rcodeOf(changed(12, 0xc0)), rcodes.FORMERR, "a pointer");
    assert.equal(rcodeOf(changed(11, 1)), rcodes.FORMERR, "a record that is not there");
    assert.equal(rcodeOf(readQuery(valid.subarray(0, -1))), rcodes.FORMERR, "cut short");
    const refusal = changed(5, 0);
    assert.ok(refusal !== undefined && isRefusal(refusal));
    assert.equal(packet.decode(refuse(refusal)).id, 1);
    assert.equal(refuse(refusal).readUInt16BE(2) & flags.rcode, rcodes.FORMERR);
  });

  it("of any bytes is read without failing", () => {
    const any = fc.uint8Array({ minLength: 0, maxLength: 80 });
    fc.assert(
      fc.property(any, fc.boolean(), (bytes, isHeaded) => {
        const head = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
        const message = isHeaded ? Buffer.concat([head, bytes]) : Buffer.from(bytes);
        const read = readQuery(message);
        if (read === undefined || isRefusal(read)) return;
        assert.ok(read.end <= message.length && read.name.length <= 254);
        const { written } = reply(read, {});
        assert.equal(written.readUInt16BE(0), read.id);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an answer", () => {
  it("is what a decoder of others reads, of every kind", () => {
    const target = nameOf("a.web.default.svc.cluster.local");
    const at = nameOf("web.default.svc.cluster.local");
    const soa = { server: nameOf("ns.cluster.local"), mailbox: nameOf("x.cluster.local") };
    const authority = { ...soa, serial: 4_000_000_000, negativeTtl: 5 };
    const { decoded } = reply(ask("web.default.svc.cluster.local", "TXT"), {
      answers: [
        { name: at, ttl: 5, data: { kind: "alias", target } },
        { name: at, ttl: 5, data: { kind: "pointer", target } },
        { name: at, ttl: 5, data: { kind: "nameServer", target } },
        { name: at, ttl: 5, data: { kind: "service", port: 80, weight: 100, target } },
        { name: at, ttl: 5, data: { kind: "text", text: "1.1.0" } },
        {
          name: at,
          ttl: 5,
          data: { kind: "opaque", type: types.TXT, bytes: Buffer.from("\x01x") },
        },
      ],
      authorities: [
        { name: nameOf("cluster.local"), ttl: 9, data: { kind: "authority", authority } },
      ],
    });
    const plain = decoded.answers?.map((answer) => [answer.type, "data" in answer && answer.data]);
    const text = "a.web.default.svc.cluster.local";
    assert.deepEqual(plain, [
      ["CNAME", text],
      ["PTR", text],
      ["NS", text],
      ["SRV", { priority: 0, weight: 100, port: 80, target: text }],
      ["TXT", [Buffer.from("1.1.0")]],
      ["TXT", [Buffer.from("x")]],
    ]);
    const [first] = decoded.authorities ?? [];
    assert.ok(first?.type === "SOA");
    assert.equal(first.name, "cluster.local");
    assert.equal(first.data.serial, 4_000_000_000);
    assert.equal(first.data.mname, "ns.cluster.local");
    assert.equal(first.data.rname, "x.cluster.local");
  });

  it("holds any addresses under any names", () => {
    const entry = fc.tuple(name, anyAddress());
    fc.assert(
      fc.property(name, fc.array(entry, { maxLength: 20 }), (question, entries) => {
        const answers = entries.map(
          ([text, address]): DnsRecord => ({
            name: nameOf(text),
            ttl: 5,
            data: { kind: "address", address },
          }),
        );
        const { decoded } = reply(ask(question, "A"), { additionals: answers });
        assert.deepEqual(
          decoded.additionals?.map((each) => ("data" in each ? [each.name, each.data] : [])),
          entries.map(([text, address]) => [text, expanded(address)]),
        );
      }),
    );
  });

  it("begins with another address each time", () => {
    const query = ask("web", "A");
    const answers = addresses("web", 3);
    const firsts = [0, 1, 2, 3].map((turn) => {
      const { decoded } = reply(query, { answers }, { turn });
      assert.equal(new Set(dataOf(decoded)).size, 3);
      return dataOf(decoded)[0];
    });
    assert.deepEqual(firsts, ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.0"]);
  });

  it("that is too long leaves out what stands beside it, then says that it was cut", () => {
    const query = ask("web", "A");
    const records = { answers: addresses("web", 20), additionals: addresses("other", 20) };
    const whole = reply(query, records).written;
    const fewer = reply(query, records, { limit: whole.length - 1 }).decoded;
    assert.equal(fewer.answers?.length, 20);
    assert.equal(fewer.additionals?.length, 19);
    assert.equal(fewer.flag_tc, false);
    const cut = reply(query, records, { limit: 100 });
    assert.equal(cut.decoded.flag_tc, true);
    assert.equal(cut.decoded.answers?.length, 4);
    assert.equal(cut.decoded.additionals?.length, 0);
    assert.ok(cut.written.length <= 100);
  });

  it("never exceeds its limit, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.nat(200),
        fc.nat(50),
        fc.integer({ min: 60, max: 4_000 }),
        (n, more, limit) => {
          const records = { answers: addresses("a.b", n), additionals: addresses("c.d", more) };
          const { written, decoded } = reply(ask("a.b", "A"), records, { limit, turn: n + more });
          assert.ok(written.length <= limit);
          assert.equal(decoded.flag_tc, (decoded.answers?.length ?? 0) < n);
        },
      ),
    );
  });

  it("of more than a message can hold is cut", () => {
    const { written, decoded } = reply(ask("web", "A"), { answers: addresses("web", 5_000) });
    assert.ok(written.length <= 65_535);
    assert.equal(decoded.flag_tc, true);
    assert.ok((decoded.answers?.length ?? 0) > 4_000);
  });

  it("to a question with EDNS has it too, with the bit for DNSSEC as it came", () => {
    const opt = { type: "OPT", name: ".", udpPayloadSize: 512, flags: 0x8000 } as packet.OptAnswer;
    const query = ask("web", "A", { additionals: [opt] });
    const sections = encodeSections(query.name, {});
    const bad = { rcode: rcodes.BADVERS, isAuthoritative: false, sections };
    const [answered] = packet.decode(writeReply(query, bad, options)).additionals ?? [];
    assert.ok(answered?.type === "OPT");
    assert.equal(answered.extendedRcode, 1);
    assert.equal(answered.udpPayloadSize, 1232);
    assert.equal(answered.flag_do, true);
  });

  it("names what it points at by pointers", () => {
    const text = "web.default.svc.cluster.local";
    const { written } = reply(ask(text, "A"), { answers: addresses(text, 10) });
    assert.equal(written.length, 12 + text.length + 2 + 4 + 10 * 16);
    assert.equal(textOf(nameOf(text)), `${text}.`);
  });
});

function dataOf({ answers = [] }: packet.DecodedPacket): string[] {
  return answers.map((answer) =>
    "data" in answer && typeof answer.data === "string" ? answer.data : "",
  );
}

/** The address as the decoder writes it, which spells IPv6 differently. */
function expanded(address: Address): string {
  const record = {
    type: address.family === "IPv4" ? "A" : "AAAA",
    name: "x",
    data: String(address),
  };
  const message = packet.encode({ answers: [record as packet.StringAnswer] });
  return dataOf(packet.decode(message))[0] ?? "";
}
