import type { FieldError } from "../../api/fields/field-error.ts";
import { invalid, notSupported, required } from "../../api/fields/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../api/fields/names.ts";
import { named } from "../../api/kinds/checks.ts";
import { defined } from "../../base/json/defined.ts";
import { parseYaml } from "../../base/json/parse-yaml.ts";
import { Address } from "../../base/net/address.ts";
import { Fields, Findings } from "./fields.ts";
import { readHosts } from "./hosts.ts";
import type { InstallConfig } from "./install-config.ts";
import { networkErrors } from "./network-rules.ts";
import { type Networks, readNetworks } from "./networks.ts";
import { type Platform, platforms, type VipUse } from "./platforms.ts";
import { vipErrors } from "./vip-rules.ts";
import { type GivenVips, readVips } from "./vips.ts";

export interface ReadOptions {
  /** Whether the agent-based installer is used, which needs VIPs on every platform. */
  readonly agentInstaller?: boolean;
  /** The VIPs to use where none is given: the DNS answers for the names of `vipNames`. */
  readonly found?: Readonly<Partial<Record<VipUse, string>>>;
}

export interface ReadInstallConfig {
  /** The configuration; only when there are no errors. */
  readonly config?: InstallConfig;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** Reads an install-config, deprecated forms included, and reports all errors in it. */
export function readInstallConfig(text: string, options: ReadOptions = {}): ReadInstallConfig {
  const findings = new Findings();
  const document = parseYaml(text, {
    onDuplicate: (path) => findings.warn(`${path} is given more than once; the last one counts`),
  });
  const root = Fields.ofDocument(document, { findings, ignoreCase: true });
  const reader = new Reader(root, findings);
  const config = reader.read(options);
  const { errors, warnings } = findings;
  return errors.length === 0 && config !== undefined
    ? { config, errors, warnings }
    : { errors, warnings };
}

/** The DNS names that resolve to the VIPs of a cluster, once its DNS is set up. */
export function vipNames(text: string): Record<VipUse, string> {
  const root = Fields.ofDocument(parseYaml(text), { findings: new Findings() });
  const domain = `${root.object("metadata")?.text("name")}.${root.text("baseDomain")}`;
  return { api: `api.${domain}`, ingress: `test.apps.${domain}` };
}

class Reader {
  readonly #root: Fields;
  readonly #findings: Findings;

  constructor(root: Fields, findings: Findings) {
    this.#root = root;
    this.#findings = findings;
  }

  read(options: ReadOptions): InstallConfig | undefined {
    this.#checkVersion();
    const name = this.#name();
    const baseDomain = this.#baseDomain();
    const networkType = this.#networkType();
    const networks = readNetworks(this.#root.object("networking"), this.#findings);
    const controlPlaneReplicas = this.#controlPlaneReplicas();
    const platform = this.#platform();
    this.#findings.errors.push(...networkErrors(networks, { networkType, platform }));
    const fields = platform && this.#root.object("platform")?.object(platform.name);
    if (platform === undefined || fields === undefined) return undefined;

    const hasOwnLoadBalancer = this.#hasOwnLoadBalancer(fields);
    const isRequired = platform.needsVips === "always" || options.agentInstaller === true;
    const { found = {} } = options;
    const vips = readVips(fields, { platform, found, findings: this.#findings });
    const hosts = readHosts(fields, { controlPlaneReplicas, networks, findings: this.#findings });
    const around = { networks, hosts, isRequired, hasOwnLoadBalancer };
    this.#findings.errors.push(...vipErrors(vips, around));
    return {
      name,
      baseDomain,
      platform,
      vips: { api: addressesOf(vips, "api"), ingress: addressesOf(vips, "ingress") },
      hasOwnLoadBalancer,
      networking: networkingOf(networks, networkType),
      controlPlaneReplicas,
      hosts,
    };
  }

  #checkVersion(): void {
    const version = this.#root.text("apiVersion") ?? "";
    if (["v1", "v1beta3", "v1beta4"].includes(version)) return;
    this.#findings.errors.push(
      version === ""
        ? required("apiVersion", "no version was provided")
        : invalid("apiVersion", version, `cannot upconvert from version ${version}`),
    );
  }

  #name(): string {
    const name = this.#root.object("metadata")?.text("name") ?? "";
    this.#findings.errors.push(
      ...(name === ""
        ? [required("metadata.name", "cluster name required")]
        : named("metadata.name", name, dnsLabel)),
    );
    return name;
  }

  #baseDomain(): string {
    const domain = this.#root.text("baseDomain") ?? "";
    this.#findings.errors.push(
      ...(domain === ""
        ? [required("baseDomain", "base domain required")]
        : named("baseDomain", domain, dnsSubdomain)),
    );
    return domain;
  }

  #networkType(): string {
    const networking = this.#root.object("networking");
    if (networking?.has("type")) {
      this.#findings.warn("networking.type is deprecated; use networkType");
    }
    return networking?.text("networkType") ?? networking?.text("type") ?? "OVNKubernetes";
  }

  #controlPlaneReplicas(): number {
    const replicas = this.#root.object("controlPlane")?.integer("replicas") ?? 3;
    if (replicas < 1) {
      const detail = "number of control plane replicas must be positive";
      this.#findings.errors.push(invalid("controlPlane.replicas", replicas, detail));
    }
    return replicas;
  }

  #platform(): Platform | undefined {
    const given = this.#root.object("platform");
    const names = (given?.names() ?? []).filter((name) => given?.has(name));
    const platform = platforms.find(({ name }) => given?.has(name));
    const other = names.find((name) => name.toLowerCase() !== platform?.name);
    if (platform === undefined) {
      const known = platforms.map(({ name }) => name).join(", ");
      const detail = `must specify one of the platforms (${known})`;
      this.#findings.errors.push(invalid("platform", other ?? "", detail));
    } else if (other !== undefined) {
      const both = `${JSON.stringify(platform.name)} and ${JSON.stringify(other)}`;
      const detail = `must only specify a single type of platform; cannot use both ${both}`;
      this.#findings.errors.push(invalid("platform", platform.name, detail));
    }
    return platform;
  }

  #hasOwnLoadBalancer(fields: Fields): boolean {
    const loadBalancer = fields.object("loadBalancer");
    const type = loadBalancer?.text("type") ?? loadBalancerTypes[0];
    if (!loadBalancerTypes.includes(type ?? "")) {
      const field = loadBalancer?.at("type") ?? "";
      this.#findings.errors.push(notSupported(field, type, loadBalancerTypes));
    }
    return type === "UserManaged";
  }
}

const loadBalancerTypes: readonly string[] = ["OpenShiftManagedDefault", "UserManaged"];

function addressesOf(vips: Readonly<Record<VipUse, GivenVips>>, use: VipUse): Address[] {
  return vips[use].texts.flatMap((text) => Address.tryParse(text) ?? []);
}

function networkingOf(networks: Networks, networkType: string): InstallConfig["networking"] {
  const prefixes = (list: Networks["machineNetwork"]) => list.map(({ prefix }) => prefix);
  return {
    networkType,
    machineNetwork: prefixes(networks.machineNetwork),
    clusterNetwork: networks.clusterNetwork.map(({ prefix, hostPrefix }) => ({
      cidr: prefix,
      ...defined({ hostPrefix }),
    })),
    serviceNetwork: prefixes(networks.serviceNetwork),
  };
}
