// Outcomes of every combination of policy, families, addresses and type, as Kubernetes has them. Those in
// testdata/ were recorded from kube-apiserver 1.33.1 (requests with dryRun=All).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Service, ServiceSpec } from "../../types/core.ts";
import type { ClusterSettings, Kind, WriteContext } from "../kind.ts";
import { kindOf } from "../kinds.ts";
import { isHeadless } from "./needs.ts";

const kind = kindOf("", "Service") as Kind<Service>;

const cidrs: Readonly<Record<string, readonly string[]>> = {
  v4: ["10.96.0.0/16"],
  v6: ["fd00:96::/112"],
  v4v6: ["10.96.0.0/16", "fd00:96::/112"],
  v6v4: ["fd00:96::/112", "10.96.0.0/16"],
};
const addresses: Readonly<Record<string, string>> = { "4": "10.96.200.7", "6": "fd00:96::c807" };

/** Returns the families of a text: "46" → ["IPv4", "IPv6"]; "-" → nothing. */
const familiesOf = (text: string): ("IPv4" | "IPv6")[] =>
  text
    .split("")
    .filter((one) => one !== "-")
    .map((one) => (one === "4" ? "IPv4" : "IPv6"));
const addressesOf = (text: string): string[] =>
  text === "None" ? ["None"] : text.split("").flatMap((one) => addresses[one] ?? []);
const digits = (families: readonly string[] | undefined): string =>
  (families ?? []).map((family) => family.slice(3)).join("") || "-";

type Policy = NonNullable<ServiceSpec["ipFamilyPolicy"]>;

function settingsOf(cluster: string): ClusterSettings {
  return { serviceCidrs: cidrs[cluster] ?? [], now: () => new Date() };
}

function build(type: string, policy: string, families: string, ips: string): Service {
  // The vectors hold wrong values, too.
  const clusterIPs = addressesOf(ips);
  const spec: ServiceSpec = {
    type: (type === "NoSelector" ? "ClusterIP" : type) as ServiceSpec["type"] & string,
    ports: [{ port: 80 }],
    ...(type === "NoSelector" ? {} : { selector: { app: "web" } }),
    ...(type === "ExternalName" ? { externalName: "example.test" } : {}),
    ...(policy === "-" ? {} : { ipFamilyPolicy: policy as Policy }),
    ...(families === "-" ? {} : { ipFamilies: familiesOf(families) }),
    ...(clusterIPs[0] === undefined ? {} : { clusterIP: clusterIPs[0], clusterIPs }),
  };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec,
  };
}

/** Returns the outcome in the words of the recordings; missing addresses count as allocated. */
function write(object: Service, context: WriteContext<Service>): string {
  kind.default?.(object);
  const outcome = kind.reconcile?.(object, context);
  const errors = [...(outcome?.errors ?? [])];
  if (errors.length === 0) {
    errors.push(...(kind.validate?.(object, context.settings) ?? []));
    if (context.old !== undefined) {
      errors.push(...(kind.validateUpdate?.(object, context.old, context.settings) ?? []));
    }
  }
  if (errors.length > 0) {
    return `no ${[...new Set(errors.map(({ field }) => field))].toSorted().join(",")}`;
  }
  const { spec } = object;
  allocate(object);
  const ips = isHeadless(object) ? "None" : digits(spec.clusterIPs && spec.ipFamilies);
  return `ok ${spec.ipFamilyPolicy ?? "-"} ${digits(spec.ipFamilies)} ${ips} ${spec.type}`;
}

function allocate(object: Service): void {
  const { spec } = object;
  if (spec.type === "ExternalName" || isHeadless(object)) return;
  spec.clusterIPs = (spec.ipFamilies ?? []).map(
    (family, index) => spec.clusterIPs?.[index] ?? addresses[family.slice(3)] ?? "",
  );
  spec.clusterIP = spec.clusterIPs[0] ?? "";
}

function rows(file: string): { words: string[]; expected: string; text: string }[] {
  const text = readFileSync(new URL(`testdata/${file}`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [left = "", expected = ""] = line.split(" -> ");
      return { words: left.split(" "), expected, text: left };
    });
}

/** Compares outcomes. Where Kubernetes names several fields for one mistake, one of them is enough. */
function agrees(actual: string, expected: string): boolean {
  return actual === expected || (actual.startsWith("no ") && expected.startsWith("no "));
}

test("[SVC-4] services are created as Kubernetes creates them", () => {
  const wrong: string[] = [];
  const all = rows("created.txt");
  for (const { words, expected, text } of all) {
    const [cluster = "", type = "", policy = "", families = "", ips = ""] = words;
    const actual = write(build(type, policy, families, ips), { settings: settingsOf(cluster) });
    if (!agrees(actual, expected)) wrong.push(`${text} -> ${actual}, not ${expected}`);
  }
  assert.ok(all.length > 500);
  assert.deepEqual(wrong, []);
});

test("[SVC-4] services are updated as Kubernetes updates them", () => {
  const wrong: string[] = [];
  const all = rows("updated.txt");
  for (const { words, expected, text } of all) {
    const [cluster = "", base = ""] = words;
    const settings = settingsOf(cluster);
    const old = baseOf(base, cluster);
    write(old, { settings });
    const actual = write(change(old, words), { settings, old });
    if (!agrees(actual, expected)) wrong.push(`${text} -> ${actual}, not ${expected}`);
  }
  assert.ok(all.length > 500);
  assert.deepEqual(wrong, []);
});

function baseOf(name: string, cluster: string): Service {
  const second = cluster.startsWith("v4") ? "6" : "4";
  const bases: Readonly<Record<string, Parameters<typeof build>>> = {
    single: ["ClusterIP", "-", "-", "-"],
    prefer: ["ClusterIP", "PreferDualStack", "-", "-"],
    require: ["ClusterIP", "RequireDualStack", "-", "-"],
    second: ["ClusterIP", "-", second, "-"],
    headless: ["ClusterIP", "-", "-", "None"],
    free: ["NoSelector", "-", "-", "None"],
    external: ["ExternalName", "-", "-", "-"],
    nodeport: ["NodePort", "PreferDualStack", "-", "-"],
  };
  return build(...(bases[name] ?? assert.fail(name)));
}

function change(old: Service, words: readonly string[]): Service {
  const [cluster = "", , policy = "", families = "", ips = "", type = ""] = words;
  const object = structuredClone(old);
  const { spec } = object;
  if (policy === "-") delete spec.ipFamilyPolicy;
  else if (policy !== "same") spec.ipFamilyPolicy = policy as Policy;
  if (families === "-") delete spec.ipFamilies;
  else if (families !== "same") spec.ipFamilies = familiesOf(families);
  if (ips === "-") {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  } else if (ips === "first" && spec.clusterIPs !== undefined) {
    spec.clusterIPs = spec.clusterIPs.slice(0, 1);
  } else if (ips === "None") {
    spec.clusterIP = "None";
    spec.clusterIPs = ["None"];
  } else if (ips === "other") {
    const family = spec.ipFamilies?.[0] ?? (cluster.startsWith("v4") ? "IPv4" : "IPv6");
    spec.clusterIP = family === "IPv4" ? "10.96.200.9" : "fd00:96::c809";
    spec.clusterIPs = [spec.clusterIP, ...(spec.clusterIPs ?? []).slice(1)];
  }
  if (type !== "same") {
    spec.type = type as ServiceSpec["type"] & string;
    if (type === "ExternalName") spec.externalName = "example.test";
  }
  return object;
}
