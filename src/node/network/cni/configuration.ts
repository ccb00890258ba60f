import { defined } from "../../../base/json/defined.ts";
import { Fields } from "./fields.ts";
import type { Json } from "./json.ts";
import { type CniVersion, isAtLeast, isKnown, knownVersions } from "./versions.ts";

/** A network that containers can be attached to, from a .conflist or a .conf file. */
export interface NetworkConfiguration {
  readonly name: string;
  /** The versions that the configuration allows. */
  readonly versions: readonly CniVersion[];
  readonly disableCheck: boolean;
  readonly disableGC: boolean;
  readonly loadOnlyInlinedPlugins: boolean;
  readonly plugins: readonly PluginConfiguration[];
  /** The controller whose services the network's addresses are for; all services if not given. */
  readonly serviceController?: string;
  /** The configuration as a list, even if it was a single plugin; `parseNetwork` accepts it again. */
  readonly source: Json;
}

export interface PluginConfiguration {
  /** The name of the plugin's program. */
  readonly type: string;
  /** The name of its IPAM plugin's program. */
  readonly ipam?: string;
  /** The capabilities that the plugin declares. */
  readonly capabilities: readonly string[];
  /** Whether the plugin is skipped for attachments that use none of its capabilities. */
  readonly isOnlyForCapabilities: boolean;
  readonly source: Json;
}

/**
 * The key that marks a plugin as only for its capabilities for this runtime; other runtimes run it always.
 */
export const onlyForCapabilitiesKey = "tandem.internal/only-for-capabilities";

/** The property, annotation and configuration key that claims addresses for a service controller. */
export const serviceControllerKey = "service.kubernetes.io/service-controller-name";

interface ParseOptions {
  /** The source of the configuration, for messages. */
  readonly where: string;
  /** The name, if the configuration gives none. */
  readonly name?: string;
}

export function parseNetwork(source: unknown, options: ParseOptions): NetworkConfiguration {
  const given = new Fields(source, options.where);
  const list = "plugins" in given.json ? given : new Fields(asList(given.json), options.where);
  const name = list.text("name") ?? options.name ?? list.requiredText("name");
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name)) {
    const state = "it must be of letters, digits, dots, underscores and hyphens";
    throw list.refused("name", state, name);
  }
  const plugins = list.objects("plugins").map(parsePlugin);
  const loadOnlyInlinedPlugins = list.flag("loadOnlyInlinedPlugins");
  if (plugins.length === 0 && loadOnlyInlinedPlugins) {
    throw list.refused("plugins", "it must name at least one plugin");
  }
  const serviceController = list.text(serviceControllerKey);
  return {
    name,
    versions: allowedVersions(list),
    disableCheck: list.flag("disableCheck"),
    disableGC: list.flag("disableGC"),
    loadOnlyInlinedPlugins,
    plugins,
    ...defined({ serviceController }),
    source: { ...list.json, name },
  };
}

function asList(conf: Json): Json {
  const { cniVersion, name, [serviceControllerKey]: controller } = conf;
  const marked = controller === undefined ? {} : { [serviceControllerKey]: controller };
  return { cniVersion, name, loadOnlyInlinedPlugins: true, ...marked, plugins: [conf] };
}

function parsePlugin(fields: Fields): PluginConfiguration {
  const type = programName(fields, "type");
  const ipamFields = fields.object("ipam");
  const ipam = ipamFields?.text("type") === undefined ? undefined : programName(ipamFields, "type");
  const wanted = fields.object("capabilities");
  const capabilities = Object.keys(wanted?.json ?? {}).filter((key) => wanted?.flag(key));
  const isOnlyForCapabilities = fields.flag(onlyForCapabilitiesKey);
  const program = { type, ...defined({ ipam }) };
  return { ...program, capabilities, isOnlyForCapabilities, source: fields.json };
}

/** Reads a program's name; a path would run a program outside of the plugin directories. */
function programName(fields: Fields, key: string): string {
  const name = fields.requiredText(key);
  if (name.includes("/") || name === "." || name === "..") {
    throw fields.refused(key, "it must be the name of a program, not a path");
  }
  return name;
}

/**
 * Returns the allowed versions. A list is taken as it stands; a single version is the newest one allowed, so
 * that older plugins are called with an older one.
 */
function allowedVersions(fields: Fields): readonly CniVersion[] {
  const single = fields.text("cniVersion");
  const several = fields.texts("cniVersions") ?? [];
  const support = `supported are ${knownVersions.join(", ")}`;
  if (several.length > 0) {
    const allowed = knownVersions.filter((known) => known === single || several.includes(known));
    if (allowed.length > 0) return allowed;
    throw fields.refused("cniVersions", `none is known, ${support}`);
  }
  if (single === undefined) throw fields.refused("cniVersion", "it is missing");
  if (!isKnown(single)) throw fields.refused("cniVersion", `it is not known, ${support}`);
  return knownVersions.filter((known) => isAtLeast(single, known));
}
