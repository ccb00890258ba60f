import { invalid } from "../../api/fields/field-errors.ts";
import { Address } from "../../base/net/address.ts";
import { bitsOf } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { Fields, Findings } from "./fields.ts";

export type NetworkKind = "clusterNetwork" | "machineNetwork" | "serviceNetwork";

/** The kinds, in the order in which errors name them. */
export const networkKinds: readonly NetworkKind[] = [
  "clusterNetwork",
  "machineNetwork",
  "serviceNetwork",
];

/** A network and its field path. */
export interface Network {
  readonly path: string;
  readonly prefix: Prefix;
  readonly hostPrefix?: number;
}

export type Networks = Readonly<Record<NetworkKind, readonly Network[]>>;

/** Reads the three lists in their current or deprecated form; empty ones get the defaults. */
export function readNetworks(fields: Fields | undefined, findings: Findings): Networks {
  const read = fields && new NetworkReader(fields, findings);
  return {
    clusterNetwork: orDefault(read?.clusterNetwork(), "clusterNetwork"),
    machineNetwork: orDefault(read?.machineNetwork(), "machineNetwork"),
    serviceNetwork: orDefault(read?.serviceNetwork(), "serviceNetwork"),
  };
}

const defaults: Readonly<Record<NetworkKind, Omit<Network, "path">>> = {
  clusterNetwork: { prefix: Prefix.parse("10.128.0.0/14"), hostPrefix: 23 },
  machineNetwork: { prefix: Prefix.parse("10.0.0.0/16") },
  serviceNetwork: { prefix: Prefix.parse("172.30.0.0/16") },
};

function orDefault(list: readonly Network[] | undefined, kind: NetworkKind): readonly Network[] {
  if (list !== undefined && list.length > 0) return list;
  return [{ path: `networking.${kind}[0]`, ...defaults[kind] }];
}

class NetworkReader {
  readonly #fields: Fields;
  readonly #findings: Findings;

  constructor(fields: Fields, findings: Findings) {
    this.#fields = fields;
    this.#findings = findings;
  }

  clusterNetwork(): Network[] | undefined {
    const name = this.#present("clusterNetwork", "clusterNetworks");
    return this.#fields.objects(name)?.flatMap((entry) =>
      this.#network(entry.path, entry.text("cidr")).map((network) => {
        const hostPrefix = entry.integer("hostPrefix") ?? this.#fromSubnetLength(entry, network);
        return hostPrefix === undefined ? network : { ...network, hostPrefix };
      }),
    );
  }

  machineNetwork(): Network[] | undefined {
    if (this.#present("machineNetwork", "machineCIDR") === "machineCIDR") {
      return this.#network(this.#fields.at("machineCIDR"), this.#fields.text("machineCIDR"));
    }
    const entries = this.#fields.objects("machineNetwork");
    return entries?.flatMap((entry) => this.#network(entry.path, entry.text("cidr")));
  }

  serviceNetwork(): Network[] | undefined {
    if (this.#present("serviceNetwork", "serviceCIDR") === "serviceCIDR") {
      return this.#network(this.#fields.at("serviceCIDR"), this.#fields.text("serviceCIDR"));
    }
    const path = this.#fields.at("serviceNetwork");
    const texts = this.#fields.texts("serviceNetwork");
    return texts?.flatMap((text, index) => this.#network(`${path}[${index}]`, text));
  }

  /** The name under which a list is given: the current one counts when both are. */
  #present(name: NetworkKind, deprecated: string): string {
    if (!this.#fields.has(deprecated)) return name;
    this.#findings.warn(`${this.#fields.at(deprecated)} is deprecated; use ${name}`);
    return this.#fields.has(name) ? name : deprecated;
  }

  #fromSubnetLength(entry: Fields, { prefix }: Network): number | undefined {
    const length = entry.integer("hostSubnetLength");
    if (length === undefined) return undefined;
    this.#findings.warn(`${entry.at("hostSubnetLength")} is deprecated; use hostPrefix`);
    return bitsOf(prefix.family) - length;
  }

  #network(path: string, text: string | undefined): Network[] {
    const prefix = Prefix.tryParse(text ?? "");
    if (prefix === undefined) {
      this.#findings.errors.push(invalid(path, text ?? "", "invalid CIDR address"));
      return [];
    }
    if (prefix.first.isUnspecified) {
      this.#findings.errors.push(invalid(path, text, "address must be specified"));
    } else if (hasHostBits(text ?? "", prefix)) {
      const detail = `invalid network address. got ${text}, expecting ${prefix}`;
      this.#findings.errors.push(invalid(path, text, detail));
    }
    return [{ path, prefix }];
  }
}

function hasHostBits(text: string, prefix: Prefix): boolean {
  const address = Address.tryParse(text.slice(0, text.indexOf("/")));
  return address?.equals(prefix.first) !== true;
}
