// All files of deploy/ that are generated: kustomize bases, definitions of kinds, a Helm chart, alerts and a dashboard.

import { stringify } from "yaml";
import type { CustomResourceDefinition } from "../../src/api/types/apiextensions.ts";
import { formatDefaultConfig } from "../../src/base/command-line/default-config.ts";
import { version } from "../../src/base/program/version.ts";
import { imageRepository } from "../dist/image/build-image.ts";
import { commandAt } from "../dist/shared-files.ts";
import { chartFiles } from "./chart.ts";
import { rules } from "./monitoring/alerts.ts";
import { dashboard } from "./monitoring/dashboard.ts";
import { configuration, type DeployObject } from "./objects.ts";
import type { DeployedPart } from "./part.ts";
import { balancer } from "./parts/balancer.ts";
import { dns } from "./parts/dns.ts";
import { ipam } from "./parts/ipam.ts";
import { policy } from "./parts/policy.ts";
import { proxy } from "./parts/proxy.ts";
import { vip } from "./parts/vip.ts";

export const parts: readonly DeployedPart[] = [proxy, policy, ipam, dns, balancer, vip];

/** The objects of a part by the file of its base that has them. */
export type Base = Readonly<
  Record<"rights" | "configuration" | "workload" | "metrics", readonly DeployObject[]>
>;

/** Path below deploy/ → content. */
export async function manifests(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const bases = new Map<string, Base>();
  for (const part of parts) {
    const base = await baseOf(part);
    bases.set(part.name, base);
    for (const [file, objects] of Object.entries(base)) {
      files.set(`bases/${part.name}/${file}.yaml`, documents(objects));
    }
    const resources = Object.keys(base).map((file) => `${file}.yaml`);
    files.set(`bases/${part.name}/kustomization.yaml`, kustomization(resources));
  }
  const definitions = new Map(parts.flatMap((part) => part.definitions.map(definitionFile)));
  for (const [name, text] of definitions) files.set(`crds/${name}`, text);
  files.set("crds/kustomization.yaml", kustomization([...definitions.keys()]));
  for (const [name, text] of chartFiles({ version, bases, definitions })) {
    files.set(`chart/${name}`, text);
  }
  files.set("monitoring/rules.yaml", rules());
  files.set("monitoring/dashboard.json", `${JSON.stringify(dashboard(), undefined, 2)}\n`);
  return files;
}

/** The file of a kind's definition, without the status, which is the server's. */
function definitionFile(full: CustomResourceDefinition): readonly [string, string] {
  const { status: _, ...definition } = full;
  return [`${definition.spec.names.plural}.yaml`, documents([definition])];
}

async function baseOf(part: DeployedPart): Promise<Base> {
  const { programs, rights, workload, metrics } = part.objects({
    image: `${imageRepository}:${version}`,
  });
  const settings: DeployObject[] = [];
  for (const program of programs) {
    const command = await commandAt(program.command);
    const text = formatDefaultConfig(["tandem", ...program.command].join(" "), command);
    settings.push(configuration(program, text, program.files));
  }
  return { rights, configuration: settings, workload, metrics };
}

export function documents(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0 })).join("---\n");
}

function kustomization(resources: readonly string[]): string {
  return stringify({
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources,
  });
}
