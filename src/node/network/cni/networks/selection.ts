import { defined } from "../../../../base/json/defined.ts";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { Capabilities, PortMapping } from "../attachment.ts";
import { serviceControllerKey } from "../configuration.ts";
import { CniError } from "../error.ts";
import { Fields } from "../fields.ts";
import type { Json } from "../json.ts";

/** The annotation of a pod that asks for further networks. */
export const networksAnnotation = "k8s.v1.cni.cncf.io/networks";

/** A network that a pod requests, with its options. */
export interface NetworkSelection {
  readonly namespace: string;
  readonly name: string;
  readonly interface?: string;
  readonly capabilities: Capabilities;
  readonly cniArguments?: Json;
  /** The gateways of the pod's default routes through this network, one of each family. */
  readonly defaultRoute: readonly Address[];
  readonly serviceController?: string;
}

/** Parses `[namespace/]name[@interface], …` or a JSON list; the default is the pod's namespace. */
export function parseNetworkSelections(
  annotation: string,
  podNamespace: string,
): readonly NetworkSelection[] {
  const text = annotation.trim();
  if (text === "") return [];
  if (!text.startsWith("[")) return text.split(",").map((part) => parseShort(part, podNamespace));
  return elementsOf(text).map((element, index) =>
    parseElement(
      new Fields(element, `annotation ${networksAnnotation}`, `[${index}]`),
      podNamespace,
    ),
  );
}

function parseShort(part: string, podNamespace: string): NetworkSelection {
  const match = /^(?:([^/@\s]+)\/)?([^/@\s]+)(?:@([^/@\s:]{1,15}))?$/.exec(part.trim());
  const [, namespace = podNamespace, name, link] = match ?? [];
  if (name === undefined || !isName(name) || !isName(namespace)) {
    throw refused(JSON.stringify(part.trim()), "it is not [namespace/]name[@interface]");
  }
  return {
    namespace,
    name,
    ...defined({ interface: link }),
    capabilities: {},
    defaultRoute: [],
  };
}

function parseElement(fields: Fields, podNamespace: string): NetworkSelection {
  const name = fields.requiredText("name");
  const namespace = fields.text("namespace") ?? podNamespace;
  if (!isName(name)) throw fields.refused("name", "it is no name of an object");
  if (!isName(namespace)) throw fields.refused("namespace", "it is no name of a namespace");
  const link = fields.text("interface");
  const cniArguments = fields.object("cni-args")?.json;
  const given = fields.json[serviceControllerKey];
  const serviceController = given === "" ? "" : fields.text(serviceControllerKey);
  return {
    namespace,
    name,
    ...defined({ interface: link }),
    capabilities: parseCapabilities(fields),
    ...defined({ cniArguments }),
    defaultRoute: (fields.texts("default-route") ?? []).map((text, index) => {
      const address = Address.tryParse(text);
      if (address !== undefined) return address;
      throw fields.refused(`default-route[${index}]`, "it is no address", text);
    }),
    ...defined({ serviceController }),
  };
}

function parseCapabilities(fields: Fields): Capabilities {
  const ips = fields.texts("ips");
  for (const [index, text] of (ips ?? []).entries()) {
    if (Address.tryParse(text) === undefined && Prefix.tryParse(text) === undefined) {
      throw fields.refused(`ips[${index}]`, "it is neither an address nor one with a length", text);
    }
  }
  const portMappings = fields.objects("portMappings").map(parsePortMapping);
  const [mac, infinibandGUID, deviceID] = ["mac", "infiniband-guid", "deviceID"].map((key) =>
    fields.text(key),
  );
  const bandwidth = fields.object("bandwidth")?.json;
  return {
    ...defined({ ips, mac, infinibandGUID, deviceID, bandwidth }),
    ...(portMappings.length > 0 && { portMappings }),
  };
}

function parsePortMapping(fields: Fields): PortMapping {
  const port = (key: string): number => {
    const value = fields.wholeNumber(key);
    if (value !== undefined && value >= 1 && value <= 65_535) return value;
    throw fields.refused(key, "it must be a port");
  };
  const protocol = (fields.text("protocol") ?? "tcp").toLowerCase();
  if (protocol !== "tcp" && protocol !== "udp" && protocol !== "sctp") {
    throw fields.refused("protocol", "it must be tcp, udp or sctp");
  }
  const hostIP = fields.read("hostIP", Address.parse)?.toString();
  return {
    hostPort: port("hostPort"),
    containerPort: port("containerPort"),
    protocol,
    ...defined({ hostIP }),
  };
}

function elementsOf(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[];
  } catch (cause) {
    throw refused("as JSON", (cause as Error).message, cause);
  }
}

function isName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text);
}

function refused(what: string, state: string, cause?: unknown): CniError {
  const message = `Cannot use annotation ${networksAnnotation} ${what}: ${state}`;
  return new CniError("invalid-configuration", message, { cause });
}
