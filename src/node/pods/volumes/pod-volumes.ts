// The volumes of one pod.

import { join } from "node:path";
import { claimOf } from "../../../api/kinds/storage.ts";
import type { ImageVolumeSource, Pod, Volume } from "../../../api/types/core.ts";
import { ConfigurationError } from "../environment/error.ts";
import type { PodFacts } from "../environment/facts.ts";
import type { PodMachine } from "../machine.ts";
import type { ClaimedVolumes } from "./claimed.ts";
import type { ApiObjects } from "./named-objects.ts";
import { type PayloadPart, payloadOf, payloadPartsOf } from "./payload.ts";
import type { PreparedVolume } from "./prepared-volume.ts";
import type { PodTokens } from "./tokens.ts";

export interface PodVolumesOptions {
  readonly machine: Pick<PodMachine, "putFiles" | "hostPath" | "makeEmptyDir">;
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
    const { machine, memory, disk } = this.#options;
    const group = facts.pod.spec.securityContext?.fsGroup;
    const parts = payloadPartsOf(volume);
    if (parts !== undefined) {
      const path = join(memory, volume.name);
      this.#follow(parts, facts.pod);
      await machine.putFiles(path, await this.#payload(parts, facts, field), { group });
      return { path, isReadOnly: true };
    }
    if (volume.hostPath !== undefined) {
      return { ...(await machine.hostPath(volume.hostPath, field)), isReadOnly: false };
    }
    if (volume.emptyDir !== undefined) {
      const path = join(volume.emptyDir.medium === "Memory" ? memory : disk, volume.name);
      await machine.makeEmptyDir(path, { ...volume.emptyDir, group });
      return { path, isReadOnly: false };
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
}
