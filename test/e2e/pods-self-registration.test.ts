// Programs that look at their own interface, and tell a registry where they are to be found. Nobody who
// reads the registry knows anything of the cluster.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../src/base/net/address.ts";
import { families } from "../../src/base/net/family.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import { runPods } from "./connectivity.fixture.ts";

const members = { here: "node-1", beside: "node-1", there: "node-2" } as const;
const image = "tandem.internal/host";

const registry = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "registry", labels: { app: "registry" } },
  spec: {
    nodeName: "node-1",
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: "etcd",
        image,
        command: ["etcd", "--data-dir=/tmp/registry"],
        args: ["--listen-client-urls=http://[::]:2379", "--advertise-client-urls=http://[::]:2379"],
        readinessProbe: { tcpSocket: { port: 2379 }, periodSeconds: 1 },
      },
    ],
  },
};

/** Registers what its interface says, then answers with its name and who asked. */
const member = `
for family in 4 6; do
  address=$(ip -o -$family address show dev eth0 scope global | awk '{ split($4, parts, "/"); print parts[1] }')
  etcdctl --endpoints="$REGISTRY" put "/members/$NAME/IPv$family" "$address" || exit
done
socat TCP4-LISTEN:8080,fork,reuseaddr 'SYSTEM:echo $NAME $SOCAT_PEERADDR' &
exec socat TCP6-LISTEN:8080,ipv6only=1,fork,reuseaddr 'SYSTEM:echo $NAME $SOCAT_PEERADDR'`;
/** On both families. */
const listens = '[ "$(ss -Hltn sport = :8080 | wc -l)" = 2 ]';

function memberPod([name, node]: readonly [name: string, node: string], at: string) {
  const env = [
    { name: "NAME", value: name },
    { name: "ETCDCTL_API", value: "3" },
    { name: "REGISTRY", value: at },
  ];
  const readinessProbe = { exec: { command: ["sh", "-c", listens] }, periodSeconds: 1 };
  const container = { name: "main", image, command: ["sh", "-c", member], env, readinessProbe };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "member" } },
    spec: { nodeName: node, terminationGracePeriodSeconds: 1, containers: [container] },
  };
}

test("[MODEL-7] who registers the address of its own interface is reached there, in both families", async () => {
  await withCluster({ nodes: 2, dns: false, allowHostImage: "default" }, async (cluster) => {
    const pods = await runPods(cluster, [registry]);
    const [host = ""] = (pods.get("registry")?.status?.podIPs ?? []).map(({ ip }) => ip);
    const at = `http://${host.includes(":") ? `[${host}]` : host}:2379`;
    const found = await runPods(
      cluster,
      Object.entries(members).map((each) => memberPod(each, at)),
    );
    const registered = await readRegistry(cluster);
    for (const name of Object.keys(members)) {
      const told = found.get(name)?.status?.podIPs?.map(({ ip }) => ip) ?? [];
      const own = families.map((family) => registered.get(`${name}/${family}`) ?? "");
      assert.deepEqual(own.toSorted(), told.toSorted(), `${name} sees what the API says`);
    }
    for (const asker of Object.keys(members)) {
      const check = async ([entry, address]: readonly [entry: string, address: string]) => {
        const [name, family = ""] = entry.split("/");
        const answer = await ask(cluster, asker, address);
        assert.equal(answer.name, name, `${asker} asks ${entry} at ${address}`);
        assert.equal(answer.client, registered.get(`${asker}/${family}`), `${entry} sees ${asker}`);
      };
      await Promise.all([...registered].map(check));
    }
  });
});

/** By `name/family`. */
async function readRegistry(cluster: TestCluster): Promise<ReadonlyMap<string, string>> {
  const read = ["etcdctl", "get", "--prefix", "/members/"];
  const environment = ["env", "ETCDCTL_API=3"];
  const text = await cluster.kubectl.run("exec", "registry", "--", ...environment, ...read);
  const lines = text.trim().split("\n");
  return new Map(
    lines.flatMap((key, index) =>
      key.startsWith("/members/") ? [[key.slice("/members/".length), lines[index + 1] ?? ""]] : [],
    ),
  );
}

async function ask(cluster: TestCluster, asker: string, address: string) {
  const target = address.includes(":") ? `TCP6:[${address}]:8080` : `TCP4:${address}:8080`;
  const words = ["exec", asker, "--", "socat", "-T", "30", "-u", target, "STDOUT"];
  const [name, peer = ""] = (await cluster.kubectl.run(...words)).trim().split(" ");
  return { name, client: String(Address.parse(peer.replace(/^\[(.*)\]$/, "$1"))) };
}
