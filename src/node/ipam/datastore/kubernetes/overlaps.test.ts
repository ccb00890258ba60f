import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, unanswered } from "../../../../api/client/errors.ts";
import type { ApiAnswer, ApiRequest } from "../../../../api/client/transport.ts";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { poolName, type Reservation } from "../port.ts";
import { Api } from "./api.ts";
import { Overlaps } from "./overlaps.ts";
import type { Sender } from "./sender.ts";

/** A fake API server that keeps the objects created on it, and loses the answers to its next requests. */
class ForgetfulServer implements Sender {
  readonly objects = new Map<string, object>();
  /** The requests whose answers get lost, in order: true for one that takes effect all the same. */
  readonly losses: boolean[] = [];

  async send(request: ApiRequest): Promise<ApiAnswer> {
    const loss = this.losses.shift();
    const answer = loss === false ? undefined : this.#carryOut(request);
    if (loss === undefined && answer !== undefined) return answer;
    throw unanswered("POST it", { reason: "ConnectionLost", state: "the connection was lost" });
  }

  close(): void {
    this.objects.clear();
  }

  #carryOut({ method, path, body }: ApiRequest): ApiAnswer {
    if (method === "POST") {
      const object = JSON.parse(String(body)) as { metadata: { name: string } };
      const key = `${path}/${object.metadata.name}`;
      if (this.objects.has(key)) throw refused("POST it", answerOf(409, "AlreadyExists"));
      this.objects.set(key, object);
    }
    const found = this.objects.get(path) ?? (method === "POST" ? {} : undefined);
    if (found === undefined) throw refused("GET it", answerOf(404, "NotFound"));
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(found)) };
  }
}

function answerOf(code: number, reason: string) {
  return { code, body: JSON.stringify({ kind: "Status", reason, code }), retryAfter: undefined };
}

function reservationOf(owner: string): Reservation {
  const range = Prefix.parse("10.0.0.0/24");
  const pool = { name: poolName({ network: "", range }), range, network: "", guarded: true };
  const address = Address.parse("10.0.0.7");
  return { pool, address, owner, ifname: "eth0", containerId: owner };
}

for (const [wasCarriedOut, what] of [
  [true, "was carried out"],
  [false, "was not"],
] as const) {
  test(`[IPAM-8] a connection that is lost, and the request ${what}: the address is taken once`, async () => {
    const server = new ForgetfulServer();
    const overlaps = new Overlaps(new Api(server, "kube-system"));
    server.losses.push(wasCarriedOut);
    assert.deepEqual(await overlaps.take([{ after: reservationOf("default/a") }]), []);
    assert.equal(server.objects.size, 1);
    const other = reservationOf("default/b");
    assert.deepEqual(await overlaps.take([{ after: other }]), [other]);
  });
}
