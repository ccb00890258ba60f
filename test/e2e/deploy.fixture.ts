// A cluster whose nodes have no proxy, no policies, no DNS and no load balancers of their own, as beside a stock
// Kubernetes, and the bases of deploy/ applied to it by kubectl.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stringify } from "yaml";
import type { Client } from "../../src/api/client/client.ts";
import { connect } from "../../src/api/client/connect.ts";
import { loadAccess } from "../../src/api/client/kubeconfig.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { openImages } from "../../src/node/runtime/images/open.system.ts";
import { buildDist } from "../../tools/dist/build-dist.ts";
import { imageRepository } from "../../tools/dist/image/build-image.ts";
import type { LanHost } from "../fixtures/lan.ts";
import { type AgentCluster, type AgentNode, openAgentCluster, until } from "./agent.fixture.ts";

const root = join(import.meta.dirname, "../..");
const commands = systemCommands();

/** One request of a service account, as the server wrote it down. */
export interface Asked {
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  /** The resource with its subresource. */
  readonly resource: string;
  readonly code: number;
}

export interface DeployCluster extends AsyncDisposable {
  readonly cluster: AgentCluster;
  readonly nodes: readonly AgentNode[];
  readonly outside: LanHost;
  /** Runs kubectl, with an object on its standard input where one is given; returns what it prints. */
  kubectl(words: readonly string[], stdin?: object): Promise<string>;
  /** Applies the base of a part, with these configurations of its programs, and waits until all of it is ready. */
  deploy(
    part: string,
    options?: { readonly config?: Readonly<Record<string, object>> },
  ): Promise<void>;
  /** Deletes what `deploy` has applied, and waits until its pods are gone. */
  remove(part: string): Promise<void>;
  /** Asks for a URL from a pod; returns the answer, or undefined where there is none. */
  ask(pod: string, url: string): Promise<string | undefined>;
  /** Waits until it holds; a failure shows the pods and logs of the part. */
  until(part: string, what: string, holds: () => Promise<boolean>): Promise<void>;
  /** A client as whoever has the token of an account's pod on a node. */
  as(account: string, node: string): Promise<Client>;
  /** What service accounts have asked of the API so far; watches are in it once they have ended. */
  asked(): Promise<readonly Asked[]>;
}

/**
 * Directories of the machine that pods of the bases mount, so that each node has its own, and nothing stays. Overlays
 * show what is there, and keep in memory what is written.
 */
const ownDirectories = `
set -e
mount --make-rprivate /
mkdir -p "$1"
mount -t tmpfs none "$1"
for place in etc opt run var/lib; do
  mkdir -p "$1/$place/upper" "$1/$place/work"
  mount -t overlay none -o "lowerdir=/$place,upperdir=$1/$place/upper,workdir=$1/$place/work" "/$place"
done
shift
exec "$@"
`;

export async function openDeployCluster({
  isBuilt,
}: {
  /** Whether pods use the image that `make dist` builds; otherwise the built-in one of the same program. */
  readonly isBuilt: boolean;
}): Promise<DeployCluster> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "tandem-deploy-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const log = join(folder, "audit.log");
  const absent = ["load-balancers", "ipam-reservations", "infrastructure"];
  const cluster = opened.use(
    await openAgentCluster({
      serverWords: [
        `--audit-log=${log}`,
        `--controllers=${["*", ...absent.map((name) => `-${name}`)].join(",")}`,
      ],
    }),
  );
  const images = join(folder, "images");
  if (isBuilt) await loadBuilt(folder, images);
  const nodes: AgentNode[] = [];
  for (const [name, addresses] of Object.entries(places)) {
    nodes.push(
      await cluster.begin(name, addresses, {
        under: ["unshare", "--mount", "sh", "-c", ownDirectories, "sh", join(folder, name)],
        words: [
          "--proxy-mode=none",
          "--policies=false",
          "--announce=false",
          `--image-dir=${images}`,
          "--cluster-dns=10.96.0.10,fd00:96::a",
        ],
      }),
    );
  }
  const outside = await cluster.lan.join("outside", ["192.0.2.9/24", "2001:db8::9/64"]);
  const kubectl = await kubectlOf(cluster, folder);
  await kubectl(apiPlace);
  await until("both nodes", cluster.server, async () => {
    return (await kubectl(["get", "nodes", "-o", "name"])).split("\n").length > nodes.length;
  });
  await kubectl(["wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s"]);
  const told = async <T>(part: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      const of = ["-n", "kube-system", "-l", `${componentLabel}=${part}`];
      const shown = await kubectl(["describe", "pods", ...of]);
      const logs = await kubectl(["logs", ...of, "--tail=40", "--prefix"]).catch(String);
      throw new Error(`Cannot deploy ${part}: ${shown.slice(-2500)}\n${logs}`, { cause: error });
    }
  };
  const settled = (what: string, holds: () => Promise<boolean>) =>
    until(what, { output: () => nodes.map(({ agent }) => agent.output()).join("\n") }, holds);
  const overlay = (part: string) => join(folder, `overlay-${part}`);
  const everything = opened.move();
  return {
    cluster,
    nodes,
    outside,
    kubectl,
    until: (part, what, holds) => told(part, settled(what, holds)),
    async deploy(part, { config = {} } = {}) {
      await writeOverlay(overlay(part), { part, config, isBuilt });
      await kubectl(["apply", "-k", overlay(part)]);
      const listed = await kubectl(["get", "-k", overlay(part), "-o", "name"]);
      for (const workload of listed
        .split("\n")
        .filter((name) => /^(daemonset|deployment)/.test(name))) {
        const words = ["-n", "kube-system", "rollout", "status", workload, "--timeout=60s"];
        await told(part, kubectl(words));
      }
    },
    async remove(part) {
      const all = ["-n", "kube-system", "-l", `${componentLabel}=${part}`];
      await kubectl(["delete", "daemonsets,deployments", ...all, "--cascade=foreground"]);
      await kubectl(["delete", "-k", overlay(part), "--ignore-not-found"]);
    },
    async ask(pod, url) {
      try {
        return await kubectl(["exec", pod, "--", "tandem-echo", "get", url, "--timeout=2s"]);
      } catch (error) {
        if (error instanceof CommandError) return undefined;
        throw error;
      }
    },
    as: async (account, node) => {
      const machine = { files: systemFiles, commands, clock: systemClock, environment: {} };
      const access = await loadAccess(machine, { file: cluster.kubeconfig });
      const impersonation = {
        "impersonate-user": `system:serviceaccount:kube-system:${account}`,
        "impersonate-extra-authentication.kubernetes.io%2fnode-name": node,
      };
      const parts = { component: "test", clock: systemClock, random: systemRandom };
      const client = connect({ ...access, impersonation }, parts);
      everything.defer(() => client.transport.close());
      return client;
    },
    asked: async () => readAsked(await readFile(log, "utf8")),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}

const componentLabel = "app.kubernetes.io/component";

const places = {
  one: ["192.0.2.1/24", "2001:db8::1/64"],
  two: ["192.0.2.2/24", "2001:db8::2/64"],
} as const;

/** As docs/beside-kubernetes.md says: where the API is, without the proxy. */
const apiPlace = [
  "-n",
  "kube-system",
  "create",
  "configmap",
  "tandem-api",
  "--from-literal=KUBERNETES_SERVICE_HOST=192.0.2.100",
  "--from-literal=KUBERNETES_SERVICE_PORT=6443",
];

async function kubectlOf(
  { kubeconfig }: AgentCluster,
  home: string,
): Promise<DeployCluster["kubectl"]> {
  const fetched = await commands.run([join(root, "tools/fetch-kubectl"), "1.32"], {
    timeoutMs: 300_000,
  });
  const environment = { KUBECONFIG: kubeconfig, HOME: home };
  return async (words, stdin) => {
    const { stdout } = await commands.run([fetched.stdout.trim(), ...words], {
      environment,
      timeoutMs: 120_000,
      ...(stdin === undefined ? {} : { stdin: JSON.stringify(stdin) }),
    });
    return stdout;
  };
}

async function loadBuilt(folder: string, directory: string): Promise<void> {
  const out = join(folder, "dist");
  await mkdir(out);
  const options = { root, out, epoch: 1_700_000_000, commands };
  await buildDist({ ...options, compression: "none", kinds: ["image"] });
  const { stdout } = await commands.run(["sh", "-c", 'ls "$1"/*-image-*.tar', "sh", out]);
  const images = await openImages({ directory, commands });
  const [image] = await images.load(stdout.trim());
  if (image?.name.startsWith(imageRepository) !== true) throw new Error(`not ours: ${image?.name}`);
}

async function writeOverlay(
  directory: string,
  {
    part,
    config,
    isBuilt,
  }: { part: string; config: Readonly<Record<string, object>>; isBuilt: boolean },
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const builtIn = { name: imageRepository, newName: "tandem.internal/tandem", newTag: "latest" };
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [relative(directory, join(root, "deploy/bases", part))],
    ...(isBuilt ? {} : { images: [builtIn] }),
    generatorOptions: { disableNameSuffixHash: true },
    configMapGenerator: Object.keys(config).map((name) => ({
      name,
      namespace: "kube-system",
      behavior: "merge",
      files: [`${name.replace("tandem-", "")}.yaml`],
    })),
  };
  for (const [name, options] of Object.entries(config)) {
    await writeFile(join(directory, `${name.replace("tandem-", "")}.yaml`), stringify(options));
  }
  await writeFile(join(directory, "kustomization.yaml"), stringify(kustomization));
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username?: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

function readAsked(text: string): readonly Asked[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    const { verb, user, objectRef = {}, responseStatus } = JSON.parse(line) as AuditEvent;
    const [, account] = /^system:serviceaccount:kube-system:(.*)/.exec(user.username ?? "") ?? [];
    if (account === undefined) return [];
    const { apiGroup: group = "", resource = "", subresource } = objectRef;
    return [
      {
        account,
        verb,
        group,
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        code: responseStatus?.code ?? 0,
      },
    ];
  });
}
