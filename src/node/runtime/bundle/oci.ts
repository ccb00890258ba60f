// The part of the OCI runtime specification that we write.

import type { SeccompProfile } from "./seccomp.ts";

export interface OciConfig {
  readonly ociVersion: "1.0.2";
  readonly process: OciProcess;
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly mounts: readonly OciMount[];
  readonly linux: OciLinux;
}

export interface OciProcess {
  readonly terminal: boolean;
  readonly user: {
    readonly uid: number;
    readonly gid: number;
    readonly additionalGids: readonly number[];
  };
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: {
    readonly bounding: readonly string[];
    readonly effective: readonly string[];
    readonly permitted: readonly string[];
  };
  readonly noNewPrivileges: boolean;
}

export interface OciMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

export interface OciNamespace {
  readonly type: "user" | "pid" | "mount" | "ipc" | "uts" | "network" | "cgroup";
  readonly path?: string;
}

export interface OciDevice {
  readonly path: string;
  readonly type: "c" | "b";
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
}

interface OciIdMapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly size: number;
}

interface OciLinux {
  readonly uidMappings?: readonly OciIdMapping[];
  readonly gidMappings?: readonly OciIdMapping[];
  readonly namespaces: readonly OciNamespace[];
  readonly devices: readonly OciDevice[];
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly cgroupsPath?: string;
  readonly seccomp?: SeccompProfile;
  readonly resources: {
    readonly devices: readonly { readonly allow: boolean; readonly access: "rwm" }[];
    readonly memory?: { readonly limit: number };
    readonly pids?: { readonly limit: number };
    readonly cpu?: { readonly shares: number; readonly quota?: number; readonly period?: number };
  };
}
