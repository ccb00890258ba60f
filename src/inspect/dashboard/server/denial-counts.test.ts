import assert from "node:assert/strict";
import { test } from "node:test";
import { staticCredentials } from "../../../api/client/access.ts";
import { Client } from "../../../api/client/client.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { refusal } from "../../../api/client/testing/verbs.ts";
import type { ApiAnswer, ApiRequest } from "../../../api/client/transport/message.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { Mirror } from "../model/mirror.ts";
import { nodeOf } from "../testing/clusters.ts";
import { denialCounts } from "./denial-counts.ts";

const line =
  'tandem_policy_denied_packets_total{family="IPv6",direction="ingress",policy="shop/web-only",rule="",mode="enforce"} 3';
const access = {
  server: new URL("https://api.example"),
  authorities: undefined,
  credentials: staticCredentials({}),
  namespace: "default",
};

/** An API whose nodes have metrics, or refuse to tell them. */
class Metrics extends FakeApi {
  refused: readonly string[] = [];

  override async send(request: ApiRequest): Promise<ApiAnswer> {
    if (this.refused.some((node) => request.path.includes(`/nodes/${node}/`))) {
      throw refusal(request, 403, "Forbidden", "nodes/proxy is forbidden");
    }
    return { status: 200, headers: {}, body: Buffer.from(`${line}\n`) };
  }
}

test("counts are told to be known once all nodes were asked, and what is missing of them", async () => {
  const api = new Metrics();
  const clock = new FakeClock();
  const client = new Client(api, { fieldManager: "test" });
  let nodes = [nodeOf(0)].slice(1);
  const kind = denialCounts({ user: { client, access }, clock, nodes: () => nodes });
  const mirror = new Mirror();
  const listener = kind.open(() => undefined);
  const told = (): string => {
    for (const message of listener.take()) mirror.apply(message);
    return `${mirror.reading("denials").state}, ${mirror.told("denials").length}`;
  };
  const stop = new AbortController();
  const running = kind.run(stop.signal);
  await clock.advance(1_000);
  assert.equal(told(), "reading, 0", "nobody is known who could be asked");
  nodes = [nodeOf(0), nodeOf(1)];
  await clock.advance(1_000);
  assert.equal(told(), "current, 2");
  api.refused = ["node-1"];
  await clock.advance(1_000);
  assert.equal(told(), "failing, 2", "those of one node may be old");
  api.refused = ["node-0", "node-1"];
  await clock.advance(1_000);
  assert.equal(told(), "refused, 0", "nothing that may not be read stays on the page");
  stop.abort();
  await running;
});
