import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { describe, it } from "node:test";
import * as packet from "dns-packet";
import { defined } from "../../src/base/json/defined.ts";
import { freePorts } from "../fixtures/etcd-member.ts";
import { DnsServer } from "./dns-fixture.ts";

/** A server that knows names of example.com, and how often each was asked for. */
class Upstream implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly ports = new Set<number>();
  readonly #data: string;
  readonly #socket: Socket;
  readonly #server: Server;

  private constructor(data: string, host: string) {
    this.#data = data;
    this.#socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    this.#socket.on("message", (message, from) => {
      this.ports.add(from.port);
      this.#socket.send(this.#answer(message, true), from.port, from.address);
    });
    this.#server = createServer((connection) => {
      connection.on("error", () => undefined);
      connection.on("data", (chunk: Buffer) => {
        const answer = this.#answer(chunk.subarray(2), false);
        connection.write(
          Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]),
        );
      });
    });
  }

  static async start(port: number, data: string, host = "127.0.0.1"): Promise<Upstream> {
    const upstream = new Upstream(data, host);
    upstream.#socket.bind(port, host);
    upstream.#server.listen(port, host);
    await Promise.all([once(upstream.#socket, "listening"), once(upstream.#server, "listening")]);
    return upstream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(message: Buffer, isDatagram: boolean): Buffer {
    const { id, questions = [] } = packet.decode(message);
    const [{ name, type } = { name: "", type: "A" as const }] = questions;
    this.asked.push(`${name} ${type}`);
    const isLong = name.startsWith("long");
    const soa = { mname: "ns.example.com", rname: "x.example.com", minimum: 60 };
    const isThere = !name.startsWith("missing") && type === "A";
    const answers: packet.Answer[] = Array.from({ length: isLong ? 200 : 1 }, (_, index) => ({
      name,
      type: "A",
      ttl: 100,
      data: isLong ? `192.0.2.${index}` : this.#data,
    }));
    return packet.encode({
      type: "response",
      ...defined({ id }),
      questions,
      flags:
        (name.startsWith("missing") ? 3 : 0) |
        (isLong && isDatagram ? packet.TRUNCATED_RESPONSE : 0),
      answers: isThere && !(isLong && isDatagram) ? answers : [],
      authorities: isThere ? [] : [{ name: "example.com", type: "SOA", ttl: 100, data: soa }],
    });
  }
}

/** How many answers come to a question behind which the asker closes its side. */
async function askAndHangUp(port: number): Promise<number | undefined> {
  const connection = connect(port, "127.0.0.1");
  const questions: packet.Question[] = [{ name: "late.example.com", type: "A" }];
  connection.end(
    packet.streamEncode({ type: "query", flags: packet.RECURSION_DESIRED, questions }),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of connection) chunks.push(chunk as Buffer);
  return packet.streamDecode(Buffer.concat(chunks)).answers?.length;
}

/** Upstreams that are there may stand still for a while; of those that are not we hear at once. */
const patient = "--upstream-timeout=10s";

const data = ({ answers }: { answers: readonly string[] }) =>
  answers.map((line) => line.split(" ").at(-1));

describe("[DNS-3] everything that is not the cluster's", () => {
  it("is asked for upstream, once, and remembered", async () => {
    const [port = 0] = await freePorts(1, "127.0.0.1");
    await using upstream = await Upstream.start(port, "192.0.2.1");
    const upstreams = `--upstream=127.0.0.1:${port}`;
    await using dns = await DnsServer.start([upstreams, patient, "--query-log"]);
    const first = await dns.dig("www.example.com", "A");
    assert.deepEqual(data(first), ["192.0.2.1"]);
    assert.ok(first.flags.includes("ra") && !first.flags.includes("aa"));
    assert.deepEqual(data(await dns.dig("WWW.example.com", "A", ["+tcp"])), ["192.0.2.1"]);
    for (const name of ["missing.example.com", "missing.example.com"]) {
      const missing = await dns.dig(name, "A");
      assert.equal(missing.status, "NXDOMAIN");
      assert.match(missing.authorities[0] ?? "", /^example.com SOA/);
    }
    const nothing = await dns.dig("www.example.com", "AAAA");
    assert.equal(nothing.status, "NOERROR");
    assert.deepEqual(nothing.answers, []);
    const long = await dns.dig("long.example.com", "A");
    assert.equal(new Set(long.answers).size, 200);
    assert.deepEqual(upstream.asked.filter((each) => !each.includes("loop-check")).toSorted(), [
      "long.example.com A",
      "long.example.com A",
      "missing.example.com A",
      "www.example.com A",
      "www.example.com AAAA",
    ]);
    assert.ok(upstream.ports.size >= 4, "a port for each question");
    assert.equal(await askAndHangUp(dns.port), 1, "answered after the asker was done");
    await dns.service("out", { type: "ExternalName", externalName: "www.example.com" });
    const alias = await dns.digUntil(
      "out.default.svc.cluster.local",
      "A",
      ({ status }) => status === "NOERROR",
    );
    assert.deepEqual(alias.answers, [
      "out.default.svc.cluster.local CNAME www.example.com",
      "www.example.com A 192.0.2.1",
    ]);
    assert.match(
      dns.output,
      /"message":"query".*"name":"www.example.com.","type":"A","rcode":"NOERROR"/,
    );
  });

  it("is asked of another server when one is down, of any family", async () => {
    const [first = 0, second = 0] = await freePorts(2, "127.0.0.1");
    const upstreams = `--upstream=127.0.0.1:${first},[::1]:${second}`;
    await using dns = await DnsServer.start([upstreams, patient]);
    assert.equal((await dns.dig("a.example.com", "A")).status, "SERVFAIL");
    const other = await Upstream.start(second, "192.0.2.2", "::1");
    assert.deepEqual(data(await dns.dig("b.example.com", "A")), ["192.0.2.2"]);
    {
      await using _ = await Upstream.start(first, "192.0.2.1");
      await other[Symbol.asyncDispose]();
      assert.deepEqual(data(await dns.dig("c.example.com", "A")), ["192.0.2.1"]);
    }
    assert.equal((await dns.dig("d.example.com", "A")).status, "SERVFAIL");
    assert.deepEqual(data(await dns.dig("c.example.com", "A")), ["192.0.2.1"], "remembered");
    assert.equal((await dns.dig("cluster.local", "SOA")).status, "NOERROR", "not concerned");
  });

  it("is not asked in a circle", async () => {
    await using dns = await DnsServer.start(["--upstream=127.0.0.1:OWN"]);
    await dns.until(async () => dns.output.includes("forwards to this server"));
    assert.equal((await dns.dig("www.example.com", "A")).status, "REFUSED");
  });
});
