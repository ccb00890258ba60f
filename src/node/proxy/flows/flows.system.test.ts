import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { systemFlows } from "./flows.system.ts";

test("[PROXY-6] conntrack's lines become flows: where the first packet went, and who answers", async () => {
  const commands = new FakeCommands();
  commands.answer("conntrack -L -f ipv4 -p udp", {
    stdout:
      "udp      17 25 src=10.0.0.5 dst=10.96.0.10 sport=4000 dport=53 [UNREPLIED] src=10.244.1.7 dst=10.0.0.5 sport=5353 dport=4000 mark=0 use=1\n" +
      "conntrack v1.4.7 (conntrack-tools): 1 flow entries have been shown.\n",
  });
  assert.deepEqual(await systemFlows(commands).listUdp("IPv4"), [
    {
      destination: { address: "10.96.0.10", port: 53 },
      answerer: { address: "10.244.1.7", port: 5353 },
    },
  ]);
});
