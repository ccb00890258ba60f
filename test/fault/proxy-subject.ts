// The proxy as a process that can be killed, with its rules in a namespace.
//
//   node proxy-subject.ts MODE KUBECONFIG NAMESPACE SOCKET
//     serves its status on the socket

import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { inNamespace } from "../../src/base/host/command.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { createLog } from "../../src/base/program/log.ts";
import { Registry } from "../../src/base/program/metrics.ts";
import { stopOnSignals } from "../../src/base/program/signals.ts";
import { type ProxyMode, proxyModes } from "../../src/node/proxy/modes.ts";
import { runProxy } from "../../src/node/proxy/run-proxy.ts";
import { defaultProxySettings } from "../../src/node/proxy/settings.ts";
import { clientOf } from "../compat/client.fixture.ts";

const [, , mode = "", kubeconfig = "", namespace = "", path = ""] = process.argv;
using client = await clientOf(kubeconfig);
const settings = {
  ...defaultProxySettings,
  mode: proxyModes.find((one): one is ProxyMode => one === mode) ?? "nftables",
  node: "here",
  healthzAddress: [],
  healthAddress: [{ path }],
};
const parts = {
  client,
  commands: inNamespace(systemCommands(), namespace),
  clock: systemClock,
  random: systemRandom,
  log: createLog({ format: "text", write: (line) => process.stderr.write(line) }),
  metrics: new Registry(),
};
await runProxy(settings, parts, stopOnSignals().signal);
