import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { infrastructures } from "../../api/builtin-crds/infrastructures.ts";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { directoryPath, text } from "../../base/program/option-types.ts";
import { formatDocument } from "../../base/program/output.ts";
import { version } from "../../base/program/version.ts";
import type { VipNode } from "../../edge/vip/vip.ts";
import { defaultSettings, renderNode, vipPod } from "../../edge/vip/vip.ts";
import type { InstallConfig } from "../../install/config/config.ts";
import { infrastructureManifest } from "../../install/infrastructure/infrastructure.ts";
import { installConfigArgs, installConfigOptions, readFileOrTell } from "./read-file.ts";
import { givenNodes, nodesOf } from "./rendered-nodes.ts";

export const command = defineCommand({
  description: `Write what an install-config leads to: the Infrastructure object, and for each node the configurations of keepalived and haproxy, their checks, the packet rules, and a static pod.

Nodes are the hosts of the install-config whose network configuration has addresses in the machine networks, and those given by --master and --worker.`,
  examples: [
    {
      does: "Render into a folder",
      command: "tandem install-config render install-config.yaml --out rendered",
    },
    {
      does: "Render for nodes the file does not know",
      command:
        "tandem install-config render install-config.yaml --out rendered --master m0=192.168.111.20,fd00::20",
    },
  ],
  options: {
    ...installConfigOptions,
    out: {
      type: directoryPath(),
      required: true,
      help: "The folder to write into; it is made when missing.",
    },
    master: { type: givenNodes(), help: "A further node of the control plane." },
    worker: { type: givenNodes(), help: "A further node for everything else." },
    interface: {
      type: text("NAME"),
      default: "eth0",
      help: "The network interface of nodes that do not name one.",
    },
    directory: {
      type: directoryPath(),
      default: "/etc/tandem/vip",
      help: "Where the files of a node will be on the node.",
    },
    image: {
      type: text("IMAGE"),
      default: `tandem:${version}`,
      help: "The container image of the static pod.",
    },
  },
  args: installConfigArgs,
  async run({ args, options, stdout, stderr }) {
    const read = await readFileOrTell(args.file, { options, stderr });
    if (read === undefined) return 1;
    const { config } = read;
    const nodes = nodesOf(config, { masters: options.master ?? [], workers: options.worker ?? [] });
    if (nodes.length === 0) {
      throw new Error(
        `Cannot render ${args.file}: no host has an address in the machine networks, and none is given by --master or --worker`,
      );
    }
    // The status of a CustomResourceDefinition is for the server to write.
    const { status: _, ...definition } = infrastructures;
    const documents: [path: string, text: string, mode?: number][] = [
      ["manifests/infrastructure-definition.yaml", await yaml(definition)],
      ["manifests/infrastructure.yaml", await yaml(infrastructureManifest(config))],
    ];
    for (const node of nodes)
      documents.push(...(await documentsOf(node, { config, nodes, options })));
    for (const [path, content, mode = 0o644] of documents) {
      const target = join(options.out, path);
      await mkdir(dirname(target), { recursive: true });
      await systemFiles.write(target, content, { mode });
      stdout.write(`${target}\n`);
    }
    return 0;
  },
});

interface Surroundings {
  readonly config: InstallConfig;
  readonly nodes: readonly VipNode[];
  readonly options: {
    readonly interface: string;
    readonly directory: string;
    readonly image: string;
  };
}

async function documentsOf(
  node: VipNode,
  { config, nodes, options }: Surroundings,
): Promise<[path: string, text: string, mode?: number][]> {
  const folder = join("nodes", node.name);
  const host = config.hosts.find(({ name }) => name === node.name);
  const { directory, image } = options;
  const rendered = renderNode({ name: config.name, vips: config.vips }, nodes, {
    settings: defaultSettings,
    directory,
    local: {
      name: node.name,
      linkOf: () => host?.interface ?? options.interface,
      holds: [],
      grouped: [],
    },
  });
  const files: [string, string | undefined, number?][] = [
    ["keepalived.conf", rendered.keepalived],
    ["haproxy.cfg", rendered.haproxy],
    ["firewall.nft", rendered.firewall],
    ...[...rendered.checks.values()].map(({ path, text: script }): [string, string, number] => [
      basename(path),
      script,
      0o755,
    ]),
    ["manifests/tandem-vip.yaml", await yaml(vipPod({ node: node.name, image }))],
  ];
  return files.flatMap(([name, content, mode]) =>
    content === undefined || rendered.keepalived === undefined
      ? []
      : [[join(folder, name), content, mode ?? 0o644]],
  );
}

function yaml(document: object): Promise<string> {
  return formatDocument(document, "yaml");
}
