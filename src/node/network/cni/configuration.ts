import { Fields } from "./fields.ts";
import type { Json } from "./json.ts";
import { type CniVersion, isAtLeast, isKnown, knownVersions } from "./versions.ts";

/** A network that containers can be attached to: what a .conflist says, or a .conf. */
export interface NetworkConfiguration {
  readonly name: string;
  /** Those its author allows. */
  readonly versions: readonly CniVersion[];
  readonly disableCheck: boolean;
  readonly disableGC: boolean;
  readonly loadOnlyInlinedPlugins: boolean;
  readonly plugins: readonly PluginConfiguration[];
  /** Whose services the addresses of this network are for, if not everybody's. */
  readonly serviceController?: string;
  /** As a list, whatever it was; `parseNetwork` reads it again. */
  readonly source: Json;
}

export interface PluginConfiguration {
  /** The name of its program. */
  readonly type: string;
  /** The name of the program it asks for addresses. */
  readonly ipam?: string;
  /** What it wants to be told at run time. */
  readonly capabilities: readonly string[];
  /** It has nothing to do for attachments that use none of its capabilities, and is not run for them. */
  readonly isOnlyForCapabilities: boolean;
  readonly source: Json;
}

/** Tells this runtime that a plugin does nothing but what its capabilities ask for; others run it. */
export const onlyForCapabilitiesKey = "tandem.internal/only-for-capabilities";

/** The property, annotation and configuration key that claims addresses for a service controller. */
export const serviceControllerKey = "service.kubernetes.io/service-controller-name";

interface ParseOptions {
  /** For messages. */
  readonly where: string;
  /** When the configuration gives none. */
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
    ...(serviceController !== undefined && { serviceController }),
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
  const program = { type, ...(ipam !== undefined && { ipam }) };
  return { ...program, capabilities, isOnlyForCapabilities, source: fields.json };
}

/** A path would run a program from outside of the directories for plugins. */
function programName(fields: Fields, key: string): string {
  const name = fields.requiredText(key);
  if (name.includes("/") || name === "." || name === "..") {
    throw fields.refused(key, "it must be the name of a program, not a path");
  }
  return name;
}

/**
 * A list of versions is meant as it stands. A single version is the newest one allowed: plugins that
 * do not know it yet are called with an older one.
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
