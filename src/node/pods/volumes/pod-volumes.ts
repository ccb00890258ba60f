// The volumes of one pod.

import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { nanosOf } from "../../../api/fields/quantity.ts";
import { claimOf } from "../../../api/kinds/storage.ts";
import type {
  EmptyDirVolumeSource,
  ImageVolumeSource,
  Pod,
  Volume,
} from "../../../api/types/core.ts";
import type { Commands } from "../../../base/host/command.ts";
import { ConfigurationError } from "../environment/error.ts";
import type { PodFacts } from "../environment/facts.ts";
import { putFiles } from "./atomic-files.ts";
import type { ClaimedVolumes } from "./claimed.ts";
import { giveToGroup } from "./group.ts";
import { prepareHostPath } from "./host-path.ts";
import { mountMemory } from "./memory.ts";
import type { ApiObjects } from "./named-objects.ts";
import { type PayloadPart, payloadOf, payloadPartsOf } from "./payload.ts";
import type { PreparedVolume } from "./prepared-volume.ts";
import type { PodTokens } from "./tokens.ts";

export interface PodVolumesOptions {
  readonly commands: Commands;
  readonly objects: ApiObjects;
  readonly tokens: PodTokens;
  /** The directory on tmpfs, whose content is lost at a reboot. */
  readonly memory: string;
  readonly disk: string;
  readonly claims: ClaimedVolumes;
  /** Prepares a volume of kind image. */
  readonly image: (source: ImageVolumeSource, pod: Pod, field: string) => Promise<PreparedVolume>;
  /** Called when a volume shows something that has changed. */
  readonly changed: () => void;
}

export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #prepared = new Map<string, PreparedVolume>();
  readonly #followed = new Map<string, () => void>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** The time at which the next token must be renewed. */
  get renewAt(): number | undefined {
    return this.#options.tokens.renewAt;
  }

  /** Creates missing volumes and updates changed ones. */
  async prepare(volumes: readonly Volume[], facts: PodFacts): Promise<void> {
    for (const [index, volume] of volumes.entries()) {
      const field = `spec.volumes[${index}]`;
      this.#prepared.set(volume.name, await this.#prepare(volume, field, facts));
    }
  }

  get(name: string): PreparedVolume | undefined {
    return this.#prepared.get(name);
  }

  close(): void {
    for (const leave of this.#followed.values()) leave();
    this.#followed.clear();
  }

  async #prepare(volume: Volume, field: string, facts: PodFacts): Promise<PreparedVolume> {
    const group = facts.pod.spec.securityContext?.fsGroup;
    const parts = payloadPartsOf(volume);
    if (parts !== undefined) {
      const path = join(this.#options.memory, volume.name);
      this.#follow(parts, facts.pod);
      await putFiles(path, await this.#payload(parts, facts, field), { group });
      return { path, isReadOnly: true };
    }
    if (volume.hostPath !== undefined) {
      return { ...(await prepareHostPath(volume.hostPath, field)), isReadOnly: false };
    }
    if (volume.emptyDir !== undefined) {
      return { path: await this.#emptyDir(volume.name, volume.emptyDir, group), isReadOnly: false };
    }
    const claim = claimOf(facts.pod, volume);
    if (claim !== undefined) {
      // A claim that was found stays: its volume cannot change while the pod uses it.
      return (
        this.#prepared.get(volume.name) ??
        (await this.#options.claims.prepare(facts.pod, { claim, field }))
      );
    }
    if (volume.image !== undefined) {
      const known = this.#prepared.get(volume.name);
      return known ?? (await this.#options.image(volume.image, facts.pod, field));
    }
    const kind = Object.keys(volume).find((key) => key !== "name") ?? "none";
    throw new ConfigurationError(`use ${field}`, `volumes of kind ${kind} are not supported`);
  }

  #payload(parts: readonly PayloadPart[], facts: PodFacts, field: string) {
    const { objects, tokens } = this.#options;
    const { namespace } = facts.pod.metadata;
    const sources = {
      facts,
      configMap: (name: string) => objects.configMap(namespace, name),
      secret: (name: string) => objects.secret(namespace, name),
      token: (projection: Parameters<PodTokens["get"]>[1]) => tokens.get(facts.pod, projection),
    };
    return payloadOf(parts, sources, field);
  }

  #follow(parts: readonly PayloadPart[], { metadata: { namespace } }: Pod): void {
    const { objects, changed } = this.#options;
    for (const { source } of parts) {
      const { configMap, secret } = source;
      const kind = configMap === undefined ? "Secret" : "ConfigMap";
      const { name = "" } = configMap ?? secret ?? {};
      const key = `${kind}/${name}`;
      if (name === "" || this.#followed.has(key)) continue;
      this.#followed.set(key, objects.follow(kind, { namespace, name }, changed));
    }
  }

  async #emptyDir(
    name: string,
    { medium = "", sizeLimit }: EmptyDirVolumeSource,
    group: number | undefined,
  ): Promise<string> {
    const isMemory = medium === "Memory";
    const path = join(isMemory ? this.#options.memory : this.#options.disk, name);
    if (isMemory) {
      const bytes =
        sizeLimit === undefined ? undefined : Number(nanosOf(sizeLimit) / 1_000_000_000n);
      await mountMemory(this.#options.commands, path, { mode: "0777", bytes: bytes || undefined });
    }
    await mkdir(path, { recursive: true });
    await giveToGroup(path, group);
    await chmod(path, group === undefined ? 0o777 : 0o2777);
    return path;
  }
}
