import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "../../../api/types/core.ts";
import { podOf } from "../testing/pod.ts";
import { kernelHostname, podNameOf } from "./hostname.ts";
import { hostsFile } from "./hosts-file.ts";
import { parseResolvConf, resolutionOf, resolvConf } from "./resolv-conf.ts";

const domain = "cluster.local";

test("[MODEL-5] a pod has its own name, a hostname and a subdomain where it wants", () => {
  assert.deepEqual(podNameOf(podOf("web"), domain), { hostname: "web" });
  const spec = { hostname: "db-0", subdomain: "db", setHostnameAsFQDN: true };
  const fqdn = "db-0.db.default.svc.cluster.local";
  assert.deepEqual(podNameOf(podOf("web", { spec }), domain), { hostname: "db-0", fqdn });
  assert.equal(kernelHostname(podOf("web", { spec }), domain), fqdn);
  assert.equal(kernelHostname(podOf("x".repeat(70)), domain).length, 63);
  const onNode = (nodeName: string) =>
    kernelHostname(podOf("web", { spec: { hostNetwork: true, nodeName } }), domain);
  assert.equal(onNode("node-1.example.com"), "node-1.example.com", "in the node's network");
  assert.equal(onNode(`node-1.${"x".repeat(60)}`), "node-1");
  assert.throws(
    () => kernelHostname(podOf("web", { spec: { ...spec, subdomain: "x".repeat(60) } }), domain),
    {
      message:
        /^Cannot set spec\.setHostnameAsFQDN with "db-0\.x+.*": it has \d+ characters, 64 is the most$/,
    },
  );
});

test("[MODEL-5] the hosts file has both addresses and the aliases", () => {
  const text = hostsFile({
    name: { hostname: "db-0", fqdn: "db-0.db.default.svc.cluster.local" },
    addresses: ["fd00::5", "10.0.0.5"],
    aliases: [{ ip: "192.0.2.9", hostnames: ["a", "b"] }, { ip: "192.0.2.8" }],
  });
  assert.match(text, /^127\.0\.0\.1\tlocalhost$/m);
  assert.match(text, /^fd00::5\tdb-0\.db\.default\.svc\.cluster\.local\tdb-0$/m);
  assert.match(text, /^10\.0\.0\.5\tdb-0\.db\.default\.svc\.cluster\.local\tdb-0$/m);
  assert.ok(text.endsWith("192.0.2.9\ta\tb\n"));
});

const node = parseResolvConf(
  "# node\nnameserver 192.0.2.53\nsearch example.com .\noptions edns0\n",
);

function resolved(spec: Partial<PodSpec>, servers = ["10.96.0.10", "fd00:96::a"]): string {
  const pod = podOf("web", { spec });
  const cluster = { servers, domain };
  return resolvConf(resolutionOf({ spec: pod.spec, namespace: "team", cluster, node }));
}

const nodes = "search example.com\nnameserver 192.0.2.53\noptions edns0\n";
const clusters =
  "search team.svc.cluster.local svc.cluster.local cluster.local team.pod.cluster.local example.com\n" +
  "nameserver 10.96.0.10\nnameserver fd00:96::a\noptions ndots:5\n";

test("each policy of name resolution", () => {
  assert.equal(resolved({}), clusters);
  assert.equal(resolved({ dnsPolicy: "Default" }), nodes);
  assert.equal(resolved({ hostNetwork: true }), nodes);
  assert.equal(resolved({ hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }), clusters);
  assert.equal(resolved({}, []), nodes);
  const dnsConfig = {
    nameservers: ["192.0.2.1"],
    searches: ["x"],
    options: [{ name: "ndots", value: "2" }],
  };
  assert.equal(
    resolved({ dnsPolicy: "None", dnsConfig }),
    "search x\nnameserver 192.0.2.1\noptions ndots:2\n",
  );
  assert.match(
    resolved({ dnsConfig }),
    /nameserver fd00:96::a\nnameserver 192\.0\.2\.1\noptions ndots:2\n$/,
  );
});
