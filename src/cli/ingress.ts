import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { defineCommand } from "../base/command-line/command.ts";
import { systemClock } from "../base/host/clock.system.ts";
import { systemCommands } from "../base/host/command.system.ts";
import { systemFiles } from "../base/host/files.system.ts";
import { systemRandom } from "../base/host/random.system.ts";
import { healthOptions } from "../base/program/health-server.system.ts";
import { Registry } from "../base/program/metrics.ts";
import { addressList, listenList } from "../base/program/network-option-types.ts";
import { boolean, directoryPath, duration, integer, text } from "../base/program/option-types.ts";
import { registerProcessMetrics } from "../base/program/process-metrics.system.ts";
import { connectToApi, kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Serve the Ingresses of a cluster with nginx.\n\n" +
    "HTTP and HTTPS are listened for in both families, and a request may come in one and go to a " +
    "backend in the other. Configurations are tested before they are used, and changes drop no request. " +
    "It works with any Kubernetes API server.",
  examples: [
    {
      does: "Serve on all addresses, and say where",
      command: "tandem ingress --publish-address 192.0.2.10,2001:db8::10",
    },
    {
      does: "Serve one class behind a load balancer",
      command: "tandem ingress --ingress-class web --publish-service default/ingress",
    },
  ],
  options: {
    ...kubeconfigOptions,
    httpListen: { type: listenList(), default: ":80", help: "Addresses to serve HTTP on." },
    httpsListen: { type: listenList(), default: ":443", help: "Addresses to serve HTTPS on." },
    ingressClass: {
      type: text("NAME"),
      help: "Serve only Ingresses of this class; of all classes of the controller if not set.",
    },
    controllerName: {
      type: text("NAME"),
      default: "tandem.internal/ingress",
      help: "What IngressClasses call this controller.",
    },
    publishAddress: {
      type: addressList(),
      default: "",
      help: "Addresses that are written into the status of Ingresses.",
    },
    publishService: {
      type: text("NAMESPACE/NAME"),
      help: "The service whose addresses are written there instead.",
    },
    dataDir: {
      type: directoryPath(),
      default: "/var/lib/tandem-ingress",
      help: "Where nginx's configuration and certificates are kept; of this program alone.",
    },
    workers: {
      type: integer({ min: 0, max: 1024, placeholder: "COUNT" }),
      default: 0,
      help: "How many processes serve requests; 0 for one on each processor.",
    },
    drainTimeout: {
      type: duration(),
      default: "30s",
      help: "How long requests, such as WebSockets, may go on after a change or a stop.",
    },
    quietTime: {
      type: duration(),
      default: "100ms",
      help: "Changes that come within this time are made at once.",
    },
    reloadInterval: {
      type: duration(),
      default: "1s",
      help: "How long nginx is left alone after a change: each closes connections that are idle.",
    },
    accessLog: { type: boolean(), default: false, help: "Log every request." },
    ...healthOptions(10264),
  },
  async run({ options, signal, log, env }) {
    const { runIngress } = await import("../edge/ingress/ingress.ts");
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const client = await connectToApi(options, { component: "tandem-ingress", env, metrics });
    const parts = {
      client,
      commands: systemCommands(),
      files: systemFiles,
      clock: systemClock,
      random: systemRandom,
      log,
      metrics,
      identity: `${hostname()}_${randomUUID()}`,
    };
    try {
      await runIngress(options, parts, signal);
    } finally {
      client.transport.close();
    }
  },
});
