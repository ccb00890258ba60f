import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { systemSysctl } from "../../../src/base/host/sysctl.system.ts";
import { families } from "../../../src/base/net/family.ts";
import {
  addressOf,
  type Party,
  service,
  slices,
} from "../../../src/node/proxy/plan/testing/scenario.ts";
import { routeLoopbackSetting } from "../../../src/node/proxy/route-loopback.ts";
import { openLab } from "./lab.ts";
import { ProxyProgram } from "./program.ts";

const lab = await openLab();
const program = await ProxyProgram.open(lab);
after(() => program[Symbol.asyncDispose]());

const ports = [
  { name: "t", port: 80, protocol: "TCP" as const, nodePort: 30080 },
  { name: "u", port: 80, protocol: "UDP" as const, nodePort: 30080 },
];
const targets = {
  ports: [
    { name: "t", port: 8080, protocol: "TCP" as const },
    { name: "u", port: 8080, protocol: "UDP" as const },
  ],
};
const dualStack = { ipFamilyPolicy: "RequireDualStack" as const, ipFamilies: [...families] };
const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
const web = service({
  ...dualStack,
  cluster: ["other"],
  type: "LoadBalancer" as const,
  externalTrafficPolicy: "Local" as const,
  ports,
});

await program.put([shop]);
await program.put([web, ...slices(["a", "b"], targets)]);

/** To miss one of two endpoints by chance in so many is less likely than 10⁻¹¹. */
const enoughForTwo = 40;

async function names(to: string, protocol: "tcp" | "udp", options: object = {}) {
  const [party = "", port = ""] = to.split(":");
  const answers: string[] = [];
  for (const family of families) {
    const address = addressOf(party as Party, family).toString();
    const source = addressOf("client", family).toString();
    const errand = { protocol, address, port: Number(port), source, count: 8, timeoutMs: 30_000 };
    const findings = await lab.ask("client", { ...errand, ...options });
    answers.push(...findings.map((finding) => finding.split(":")[0] ?? finding));
  }
  return new Set(answers);
}

for (const mode of ["nftables", "iptables"] as const) {
  describe(mode, { timeout: 120_000 }, () => {
    test("[PROXY-1] services of the API are in the kernel, in both families", async () => {
      await program.put(slices(["a", "b"], targets));
      await program.startProxy(mode);
      const status = await program.status();
      assert.equal(status?.mode, mode);
      assert.deepEqual(status?.problems, {});
      for (const protocol of ["tcp", "udp"] as const) {
        const seen = await names("other:80", protocol, { count: enoughForTwo });
        assert.deepEqual(seen, new Set(["a", "b"]));
        assert.deepEqual(await names("node:30080", protocol), new Set(["a"]), "policy Local");
      }
    });

    test("[PROXY-2] load balancers are told of local endpoints", async () => {
      // It is opened a moment after the rules are there.
      const soon = ["--retry", "30", "--retry-delay", "1", "--retry-connrefused"];
      const { healthCheckNodePort: port } = ((await program.get(web)) as typeof web).spec;
      for (const family of families) {
        const address = addressOf("node", family).toString();
        const host = family === "IPv4" ? address : `[${address}]`;
        const { stdout } = await lab
          .commandsOf("client")
          .run(["curl", "--silent", "--globoff", ...soon, `http://${host}:${port}/`]);
        assert.match(stdout, /"localEndpoints": [12]\b/);
        assert.match(stdout, /"serviceProxyHealthy": true/);
      }
    });

    test("[PROXY-2] what a service became is shown from the kernel", async () => {
      const text = await program.tandem("proxy", "show", "shop/web");
      for (const family of families) {
        const [a, b] = (["a", "b"] as const).map((party) => addressOf(party, family).toString());
        assert(text.includes(a ?? "") && text.includes(b ?? ""), text);
      }
      assert.match(text, /node:30080\/udp/);
    });

    test("[PROXY-6] nothing leads to a removed endpoint once that revision is synced", async () => {
      for (const backends of [["b"], ["a"], ["c", "d"], ["a"]] as const) {
        const written = await program.put(slices(backends, targets));
        await program.synced("endpointslices", written);
        for (const protocol of ["tcp", "udp"] as const) {
          for (const name of await names("other:80", protocol)) {
            assert(backends.includes(name as never), `${name} is gone`);
          }
        }
      }
    });

    test("[PROXY-6] a flow of datagrams goes on with another endpoint", async () => {
      const oneFlow = { sourcePort: 33333, count: 2 };
      await program.synced("endpointslices", await program.put(slices(["a"], targets)));
      assert.deepEqual(await names("other:80", "udp", oneFlow), new Set(["a"]));
      await program.synced("endpointslices", await program.put(slices(["b"], targets)));
      await program.until("the flow has moved", async () => {
        const seen = await names("other:80", "udp", { ...oneFlow, timeoutMs: 500 });
        return seen.size === 1 && seen.has("b");
      });
    });

    test("[PROXY-7] rules stay when it ends, and go with the clean-up", async () => {
      await program.stopProxy();
      assert.deepEqual(await names("other:80", "tcp"), new Set(["b"]));
      await program.tandem("proxy", "cleanup");
      const { stdout } = await lab.node.run(["nft", "list", "ruleset"]);
      assert.doesNotMatch(stdout, /tandem/i);
    });

    test("[PROXY-2] node ports on 127.0.0.1, where they are asked for", async () => {
      await systemSysctl(lab.node).write({ [routeLoopbackSetting]: 0 });
      await program.put(slices(["a", "b"], targets));
      await program.startProxy(mode, "--nodeport-addresses=127.0.0.0/8");
      const errand = { protocol: "tcp", port: 30080, timeoutMs: 30_000 } as const;
      const own = { ...errand, address: "127.0.0.1", count: enoughForTwo };
      const inside = await lab.ask("node", own);
      assert.deepEqual(new Set(inside.map((finding) => finding[0])), new Set(["a", "b"]));
      const address = addressOf("node", "IPv4").toString();
      const source = addressOf("client", "IPv4").toString();
      const elsewhere = await lab.ask("client", { ...errand, address, source, count: 1 });
      assert.deepEqual(elsewhere, ["ECONNREFUSED"], "nowhere else");
      await program.stopProxy();
      await program.tandem("proxy", "cleanup");
    });
  });
}
