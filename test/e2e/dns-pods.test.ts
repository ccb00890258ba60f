// Names as pods know them: asked from inside one, at the addresses that its resolv.conf has.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Address } from "../../src/base/net/address.ts";
import type { Family } from "../../src/base/net/family.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import { addressOf, type Echo, runPods } from "./connectivity.fixture.ts";
import { type Dug, parseDug } from "./dns-fixture.ts";
import {
  client,
  domain,
  endpointFamilies,
  lonelyServer,
  manyAddresses,
  members,
  services,
} from "./dns-pods.fixture.ts";

const options = {
  nodes: 1,
  podCidr: "10.244.0.0/16,fd00:10:244::/56",
  serviceCidr: "10.96.0.0/16,fd00:96::/112",
  allowHostImage: "default",
};
const types = { IPv4: "A", IPv6: "AAAA" } as const;
const families = ["IPv4", "IPv6"] as const;

/** What is asked, as arguments of `dig`, the status of the answer, and its data in any order. */
type Expected = readonly [question: string, status: string, data: readonly string[] | RegExp];

it("[DNS-1] [DNS-2] [DNS-3] [MODEL-5] a pod learns every record, over UDP and TCP, from either family", async () => {
  await withCluster(options, async (cluster) => {
    const { kubectl } = cluster;
    await kubectl.pipe({ apiVersion: "v1", kind: "List", items: services }, "apply", "-f", "-");
    const pods = await runPods(cluster, [...members, client]);
    const upstreams = families.map((family) => url(addressOf(pods.get("client"), family)));
    await kubectl.pipe(lonelyServer(upstreams), "--namespace=kube-system", "apply", "-f", "-");

    const expected = await expectations(cluster, pods);
    const servers = await clusterIPs(cluster, "kube-dns", "kube-system");
    assert.equal(servers.length, 2);
    for (const server of servers) {
      await untilTold(cluster, server);
      for (const way of ["+notcp", "+tcp"]) {
        const answers = await dig(
          cluster,
          [`@${server}`, way],
          expected.map(([question]) => question),
        );
        for (const [index, [question, status, data]] of expected.entries()) {
          const answer = answers[index];
          const what = `${question} @${server} ${way}: ${answer?.text}`;
          assert.equal(answer?.status, status, what);
          if (data instanceof RegExp)
            assert.match(dataOf(answer).toSorted().join("\n"), data, what);
          else assert.deepEqual(dataOf(answer).toSorted(), data.toSorted(), what);
          const isNothing = answer.answers.length === 0 && status !== "REFUSED";
          assert.equal(/ SOA /.test(answer.authorities.join("\n")), isNothing, what);
        }
      }
      await checkMany(cluster, server);
    }
    await checkShortNames(cluster, pods);
    await checkWithoutUpstreams(cluster);
  });
});

async function expectations(
  cluster: TestCluster,
  pods: Awaited<ReturnType<typeof runPods>>,
): Promise<readonly Expected[]> {
  const [both, four, six, server] = await Promise.all([
    clusterIPs(cluster, "both"),
    clusterIPs(cluster, "four"),
    clusterIPs(cluster, "six"),
    clusterIPs(cluster, "kube-dns", "kube-system"),
  ]);
  const of = (family: Family, addresses: readonly string[]) =>
    addresses.filter((address) => Address.parse(address).family === family);
  const memberAddresses = (family: Family) =>
    ["web-0", "web-1"].map((name) => addressOf(pods.get(name), family));
  const perFamily = families.flatMap((family): Expected[] => {
    const type = types[family];
    const [first = ""] = memberAddresses(family);
    const dashed = first.replaceAll(/[.:]/g, "-");
    const [address = ""] = of(family, both);
    return [
      [`both.${domain} ${type}`, "NOERROR", [address]],
      [`four.${domain} ${type}`, "NOERROR", of(family, four)],
      [`six.${domain} ${type}`, "NOERROR", of(family, six)],
      [`missing.${domain} ${type}`, "NXDOMAIN", []],
      [`both.nowhere.svc.cluster.local ${type}`, "NXDOMAIN", []],
      [`${domain} ${type}`, "NOERROR", []],
      [`-x ${address}`, "NOERROR", [`both.${domain}`]],
      [`-x ${first}`, "NOERROR", new RegExp(`^web-0\\.headless-dual-stack\\.${domain}$`, "m")],
      [`first.${domain} ${type}`, "NOERROR", [`second.${domain}`, `both.${domain}`, address]],
      [`web-0.default.pod.cluster.local ${type}`, "NOERROR", [first]],
      [`${dashed}.default.pod.cluster.local ${type}`, "NOERROR", [first]],
      [`ns.dns.cluster.local ${type}`, "NOERROR", of(family, server)],
      ...Object.entries(endpointFamilies).flatMap(([endpointFamily, allowed]): Expected[] => {
        const isAllowed = allowed.some((each) => each === family);
        const all = isAllowed ? memberAddresses(family) : [];
        return [[`headless-${endpointFamily}.${domain} ${type}`, "NOERROR", all]];
      }),
      [`web-0.headless-dual-stack.${domain} ${type}`, "NOERROR", [first]],
    ];
  });
  const headless = `headless-dual-stack.${domain}`;
  return [
    ...perFamily,
    [`_http._tcp.both.${domain} SRV`, "NOERROR", [`0 100 80 both.${domain}`]],
    [`_http._tcp.${headless} SRV`, "NOERROR", /^0 100 \d+ web-0\..*\n0 100 \d+ web-1\./],
    [`_http._udp.both.${domain} SRV`, "NXDOMAIN", []],
    [`both.${domain} TXT`, "NOERROR", []],
    ["-x 10.244.255.254", "NXDOMAIN", []],
    ["cluster.local NS", "NOERROR", ["ns.dns.cluster.local"]],
    ["cluster.local SOA", "NOERROR", /^ns\.dns\.cluster\.local hostmaster\.cluster\.local \d+ /],
    ["dns-version.cluster.local TXT", "NOERROR", ['"1.1.0"']],
    [`away.${domain} A`, "NOERROR", ["www.example.com"]],
    ["www.example.com A", "REFUSED", []],
  ];
}

/** What a datagram cannot hold is cut short, and asked for again over TCP. */
async function checkMany(cluster: TestCluster, server: string): Promise<void> {
  const question = [`many.${domain} A`];
  const [cut] = await dig(cluster, [`@${server}`, "+notcp", "+ignore"], question);
  assert.ok(cut?.flags.includes("tc"), `${cut?.text}`);
  assert.ok(dataOf(cut).length < manyAddresses.length);
  const [whole] = await dig(cluster, [`@${server}`], question);
  assert.ok(!whole?.flags.includes("tc"));
  assert.deepEqual(dataOf(whole).toSorted(), manyAddresses.toSorted());
}

/** The search list leads from a short name to the service, for every kind of resolver. */
async function checkShortNames(
  cluster: TestCluster,
  pods: Awaited<ReturnType<typeof runPods>>,
): Promise<void> {
  const [both, four, six] = await Promise.all(
    ["both", "four", "six"].map((name) => clusterIPs(cluster, name)),
  );
  const [a, aaaa] = await dig(cluster, ["+search"], ["both A", "both.default AAAA"]);
  assert.deepEqual([...dataOf(a), ...dataOf(aaaa)].toSorted(), both?.toSorted());
  const script = [
    "getent ahosts both.default.svc | cut -d' ' -f1 | sort -u",
    "echo; getent ahosts four | cut -d' ' -f1 | sort -u",
    "echo; getent ahosts six | cut -d' ' -f1 | sort -u",
    // A pod by its bare name, which is nobody else's.
    "echo; getent ahosts web-0 | cut -d' ' -f1 | sort -u",
    "echo; curl -sS --max-time 30 -4 http://both/",
    "echo; echo; curl -sS --max-time 30 -6 http://both.default/",
  ].join("; ");
  const output = await exec(cluster, ["sh", "-c", script]);
  const [first, second, third, member, ...bodies] = output.trim().split(/\n\n+/);
  assert.deepEqual(first?.split("\n").toSorted(), both?.toSorted(), output);
  assert.deepEqual(second?.split("\n"), four, output);
  assert.deepEqual(third?.split("\n"), six, output);
  const own = families.map((family) => addressOf(pods.get("web-0"), family));
  assert.deepEqual(member?.split("\n").toSorted(), own.toSorted(), output);
  for (const body of bodies) assert.match((JSON.parse(body) as Echo).pod.name, /^web-/);
  assert.equal(bodies.length, 2, output);
}

/** Nobody answers about the world, which does not keep anyone from learning of the cluster. */
async function checkWithoutUpstreams(cluster: TestCluster): Promise<void> {
  const { kubectl } = cluster;
  const place = ["--namespace=kube-system", "pod/lonely"];
  await kubectl.run("wait", ...place, "--for=condition=Ready", "--timeout=60s");
  const pod = JSON.parse(await kubectl.run("get", ...place, "-o", "json")) as {
    status: { podIPs: { ip: string }[] };
  };
  const [both = ""] = await clusterIPs(cluster, "both");
  for (const { ip } of pod.status.podIPs) {
    const questions = ["www.example.com A", "www.example.com AAAA", `both.${domain} A`];
    const [a, aaaa, own] = await dig(cluster, [`@${ip}`], questions);
    assert.deepEqual([a?.status, aaaa?.status], ["SERVFAIL", "SERVFAIL"], `${a?.text}`);
    assert.deepEqual(dataOf(own), [both]);
    // It is told to know where search lists lead.
    const [searched] = await dig(cluster, [`@${ip}`], [`both.default.${domain} A`]);
    assert.deepEqual(dataOf(searched), [`both.${domain}`, both], `${searched?.text}`);
  }
}

/** Everything that its watches tell is there: services, the endpoints of each, and pods. */
async function untilTold(cluster: TestCluster, server: string): Promise<void> {
  const pods = ["web-0", "client"].flatMap((name) =>
    families.map((family) => [`${name}.default.pod.cluster.local`, types[family]]),
  );
  const headless = Object.entries(endpointFamilies).flatMap(([endpointFamily, allowed]) =>
    allowed.map((family) => [`headless-${endpointFamily}.${domain}`, types[family]]),
  );
  const questions = [[`many.${domain}`, "A"], ...pods, ...headless].flat();
  const all = manyAddresses.length + pods.length + headless.length * members.length;
  const command = ["dig", `@${server}`, "+tcp", "+short", "+time=10", "+tries=1", ...questions];
  await cluster.until(`all names @${server}`, async () => {
    const { stdout } = await cluster.kubectl.try(["exec", "client", "--", ...command]);
    return stdout.match(/^[\da-f.:]+$/gm)?.length === all ? stdout : undefined;
  });
}

/** Asks all of them in one go. */
async function dig(
  cluster: TestCluster,
  args: readonly string[],
  questions: readonly string[],
): Promise<Dug[]> {
  const command = ["dig", "+time=10", "+tries=3", ...args, "-f", "-"];
  const text = await exec(cluster, command, `${questions.join("\n")}\n`);
  const answers = text.split(/^;; Got answer:$/m).slice(1);
  assert.equal(answers.length, questions.length, text);
  return answers.map(parseDug);
}

async function exec(cluster: TestCluster, command: string[], stdin = ""): Promise<string> {
  return await cluster.kubectl.pipe(stdin, "exec", "-i", "client", "--", ...command);
}

async function clusterIPs(
  cluster: TestCluster,
  name: string,
  namespace = "default",
): Promise<string[]> {
  const place = ["service", name, `--namespace=${namespace}`];
  const path = "jsonpath={.spec.clusterIPs[*]}";
  const text = await cluster.kubectl.run("get", ...place, "-o", path);
  return text.split(" ");
}

function dataOf(answer: Dug | undefined): string[] {
  return answer?.answers.map((line) => line.split(" ").slice(2).join(" ")) ?? [];
}

function url(address: string): string {
  return address.includes(":") ? `[${address}]:53` : `${address}:53`;
}
