// `tandem up --ingress`: pods of a whole cluster, reached from outside through ingress and through a load
// balancer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Address } from "../../src/base/net/address.ts";
import { outsideCidrs } from "../../src/programs/up/topology.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import {
  apply,
  balancedAddresses,
  deployment,
  echoThrough,
  service,
} from "./ingress-up.fixture.ts";

const dual = { ipFamilyPolicy: "RequireDualStack" };

test("[ING-1] [ING-2] [MODEL-4] up serves Ingresses to clients outside, of either family by backends of either", async () => {
  await withCluster({ nodes: 2, ingress: true }, async (cluster) => {
    await apply(cluster, [
      deployment,
      service("web", { ...dual, type: "LoadBalancer" }),
      service("four", { endpointFamily: "ipv4" }),
      service("six", { endpointFamily: "ipv6", ipFamilies: ["IPv6"] }),
    ]);
    // Without a class: that of the cluster is the default one.
    for (const name of ["web", "four", "six"]) {
      await cluster.kubectl.run("create", "ingress", name, `--rule=${name}.example/*=${name}:80`);
    }
    const addresses = await balancedAddresses(cluster, "ingress/web");
    const read = async () => (await cluster.status()).ingress;
    assert.deepEqual(await cluster.until("status speaks of ingress", read), addresses);
    await checkFamilies(cluster, addresses);
    await checkUpstreams(cluster);

    for (const address of await balancedAddresses(cluster, "service/web")) {
      assert.ok(!addresses.includes(address), address);
      const { client } = await echoThrough(cluster, address, "anything");
      assert.equal(Address.parse(plain(client.address)).family, Address.parse(address).family);
    }
  });
});

/** The client's family is the address's, and the backend's is the service's. */
async function checkFamilies(cluster: TestCluster, addresses: readonly string[]): Promise<void> {
  assert.deepEqual(
    addresses.map((address) => Address.parse(address).family),
    ["IPv4", "IPv6"],
  );
  const pods = (await cluster.kubectl.run("get", "pods", "-o", "name")).trim().split("\n");
  const backends = { web: ["IPv4", "IPv6"], four: ["IPv4"], six: ["IPv6"] };
  for (const address of addresses) {
    for (const [name, families] of Object.entries(backends)) {
      const echo = await echoThrough(cluster, address, `${name}.example`);
      assert.ok(pods.includes(`pod/${echo.pod.name}`), echo.pod.name);
      const asked = Address.parse(plain(echo.client.address)).family;
      assert.ok(families.includes(asked), `${name} was asked by ${asked}`);
      const { family } = Address.parse(address);
      const client = Address.parse(echo.headers["x-forwarded-for"] ?? "");
      assert.ok(outsideCidrs[family].contains(client), `${client} asked at ${address}`);
    }
  }
}

/** Of two pods with two addresses each there are two lines, once endpoints are all known of. */
async function checkUpstreams(cluster: TestCluster): Promise<void> {
  const read = ["exec", "deployment/tandem-ingress", "--", "cat"];
  const file = "/tmp/tandem-ingress/nginx.conf";
  const expected = ["default_four_http 2", "default_six_http 2", "default_web_http 2"];
  await cluster.until(`there are just these upstreams: ${expected.join(", ")}`, async () => {
    const text = await cluster.kubectl.run("--namespace=kube-system", ...read, file);
    const upstreams = [...text.matchAll(/^ *upstream (\S+) \{\n(.*?)^ *\}/gms)];
    const lines = upstreams.map(
      ([, name = "", body = ""]) => `${name} ${[...body.matchAll(/^ *server /gm)].length}`,
    );
    return isDeepStrictEqual(lines.toSorted(), expected) ? lines : undefined;
  });
}

/** Sockets for both families say IPv4 in the form of IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, "");
}
