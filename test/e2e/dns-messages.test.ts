import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import * as packet from "dns-packet";
import { DnsServer } from "./dns-fixture.ts";

const name = "large.default.svc.cluster.local";
const count = 300;

describe("messages of all sizes and kinds", () => {
  let dns: DnsServer;
  before(async () => {
    dns = await DnsServer.start();
    await dns.service("large", { clusterIP: "None", ports: [{ name: "http", port: 80 }] });
    for (let part = 0; part < 3; part++) {
      const endpoints = Array.from({ length: 100 }, (_, index) => ({
        addresses: [`10.244.${part}.${index + 1}`],
      }));
      await dns.slice("large", `large-${part}`, {
        addressType: "IPv4",
        endpoints,
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      });
    }
    const how = ["+tcp"];
    await dns.until(async () => (await dns.dig(name, "A", how)).answers.length === count);
  });
  after(() => dns?.[Symbol.asyncDispose]());

  it("[DNS-3] are cut over UDP, and whole over TCP, of which dig makes use by itself", async () => {
    const cut = await dns.dig(name, "A", ["+ignore", "+noedns"]);
    assert.ok(cut.flags.includes("tc"));
    assert.ok(cut.answers.length > 20 && cut.answers.length < count);
    const whole = await dns.dig(name, "A");
    assert.equal(new Set(whole.answers).size, count);
    assert.ok(!whole.flags.includes("tc"));
    const services = await dns.dig(`_http._tcp.${name}`, "SRV", ["+tcp"]);
    assert.equal(services.answers.length, count);
    assert.equal(services.additionals.length, count);
  });

  it("[DNS-3] keep to the size that a client can take, up to what every network takes", async () => {
    const sizeOf = (text: string) => Number(/MSG SIZE +rcvd: (\d+)/.exec(text)?.[1]);
    for (const [asked, largest] of [
      ["+noedns", 512],
      ["+bufsize=100", 512],
      ["+bufsize=800", 800],
      ["+bufsize=1232", 1232],
      ["+bufsize=4096", 1232],
    ] as const) {
      const { text, flags } = await dns.dig(name, "A", ["+ignore", asked]);
      assert.ok(
        sizeOf(text) <= largest && sizeOf(text) > largest - 40,
        `${asked}: ${sizeOf(text)}`,
      );
      assert.ok(flags.includes("tc"));
    }
  });

  it("[DNS-3] with a later EDNS are refused, and the bit for DNSSEC comes back", async () => {
    const later = await dns.dig(name, "SOA", ["+edns=1", "+noednsnegotiation"]);
    assert.equal(later.status, "BADVERS");
    const secure = await dns.dig(name, "SOA", ["+dnssec"]);
    assert.match(secure.text, /EDNS: version: 0, flags: do;/);
    assert.equal(secure.status, "NOERROR");
  });

  it("of other classes and of transfers are refused, of other opcodes not known", async () => {
    assert.equal((await dns.dig("version.bind", "TXT", ["CH"])).status, "REFUSED");
    assert.match((await dns.dig("cluster.local", "AXFR")).text, /Transfer failed/);
    assert.equal((await dns.dig(name, "A", ["+opcode=NOTIFY"])).status, "NOTIMP");
  });

  it("that make no sense do not stop it", async () => {
    const valid = packet.encode({ type: "query", questions: [{ name, type: "A" }] });
    for (const host of ["127.0.0.1", "::1"]) {
      const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
      for (let round = 0; round < 1_500; round++) {
        const bytes = randomBytes(round % 90);
        const mutated = Buffer.from(valid);
        for (const byte of bytes.subarray(0, 4)) mutated[byte % mutated.length] = byte ^ round;
        const message = [bytes, mutated, valid.subarray(0, round % valid.length)][round % 3];
        const sent = Promise.withResolvers<unknown>();
        socket.send(message ?? bytes, dns.port, host, sent.resolve);
        await sent.promise;
      }
      socket.close();
      for (let round = 0; round < 20; round++) {
        const connection = connect(dns.port, host);
        connection.on("error", () => undefined);
        await once(connection, "connect");
        connection.end(round % 2 === 0 ? randomBytes(3_000) : Buffer.from([0, 50, ...valid]));
        connection.destroy();
      }
    }
    assert.equal((await dns.dig(name, "A")).answers.length, count);
    assert.ok(!/Cannot answer a question/.test(dns.output), dns.output);
  });

  it("come one after the other on one connection, in parts of any size", async () => {
    const connection = connect(dns.port, "::1");
    const message = packet.streamEncode({ type: "query", questions: [{ name, type: "A" }] });
    const stream = Buffer.concat(Array.from({ length: 5 }, () => message));
    for (let at = 0; at < stream.length; at += 7) connection.write(stream.subarray(at, at + 7));
    let received = Buffer.alloc(0);
    const answers: (number | undefined)[] = [];
    for await (const chunk of connection) {
      received = Buffer.concat([received, chunk as Buffer]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        answers.push(packet.streamDecode(received.subarray(0, end)).answers?.length);
        received = received.subarray(end);
      }
      if (answers.length === 5) break;
    }
    assert.deepEqual(answers, [count, count, count, count, count]);
  });

  it("are counted, and told in a log where that is wanted", async () => {
    const metrics = await dns.health("/metrics");
    assert.match(metrics, /dns_responses_total\{rcode="NOERROR"\} [1-9]/);
    assert.match(metrics, /dns_requests_total\{protocol="tcp",type="A"\} [1-9]/);
    assert.ok(!dns.output.includes(name));
  });
});
