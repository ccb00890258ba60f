import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid, required } from "../../fields/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../fields/names.ts";
import { nanosOf } from "../../fields/quantity.ts";
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  PodSpec,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from "../../types/core.ts";
import { each, isRepeated, named, present, presentName, within } from "../checks.ts";
import { containerNameErrors, fieldErrors, resourceFieldErrors } from "./validate-environment.ts";
import { descendingPathErrors, localPathErrors, noBackstepErrors } from "./validate-paths.ts";

/** The pod fields that files may show: unlike in Kubernetes, addresses are among them. */
const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const fileModes = [0, 0o777] as const;
const tokenSeconds = { least: 600, most: 2 ** 32 };

export function volumeErrors({ volumes }: PodSpec, path: string): FieldError[] {
  const names = new Set<string>();
  return each(volumes, path, (volume, one) => [
    ...sourceErrors(volume, one),
    ...presentName(`${one}.name`, volume.name, dnsLabel),
    ...(isRepeated(names, volume.name) ? [duplicate(`${one}.name`, volume.name)] : []),
  ]);
}

/** Checks that a volume has exactly one source; the first one found counts. */
function sourceErrors(sources: Volume, path: string): FieldError[] {
  const given = (Object.keys(sources) as (keyof Volume)[]).filter((field) => field !== "name");
  const [first, ...others] = given.includes("emptyDir")
    ? ["emptyDir" as const, ...given.filter((source) => source !== "emptyDir")]
    : given;
  if (first === undefined) return [required(path, "must specify a volume type")];
  const detail = "may not specify more than 1 volume type";
  return [
    ...(checks[first]?.(sources, `${path}.${first}`) ?? []),
    ...others.map((source) => forbidden(`${path}.${source}`, detail)),
  ];
}

type Sources = Omit<Volume, "name">;

/** The checks by source. Sources that are not listed have nothing to check but what their driver says. */
const checks: Partial<Record<keyof Sources, (sources: Sources, path: string) => FieldError[]>> = {
  emptyDir({ emptyDir }, path) {
    const limit = emptyDir?.sizeLimit;
    if (limit === undefined || nanosOf(limit) >= 0n) return [];
    return [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")];
  },
  hostPath({ hostPath }, path) {
    if (!hostPath?.path) return [required(`${path}.path`)];
    return noBackstepErrors(hostPath.path, `${path}.path`);
  },
  gitRepo: ({ gitRepo }, path) => [
    ...present(`${path}.repository`, gitRepo?.repository),
    ...descendingPathErrors(gitRepo?.directory ?? "", `${path}.directory`),
  ],
  secret: ({ secret }, path) => [
    ...present(`${path}.secretName`, secret?.secretName),
    ...modeErrors(secret?.defaultMode, `${path}.defaultMode`),
    ...each(secret?.items, `${path}.items`, itemErrors),
  ],
  configMap: ({ configMap }, path) => [
    ...present(`${path}.name`, configMap?.name),
    ...modeErrors(configMap?.defaultMode, `${path}.defaultMode`),
    ...each(configMap?.items, `${path}.items`, itemErrors),
  ],
  downwardAPI: ({ downwardAPI }, path) => [
    ...modeErrors(downwardAPI?.defaultMode, `${path}.defaultMode`),
    ...(downwardAPI?.items ?? []).flatMap((file) => fileErrors(file, path)),
  ],
  projected: ({ projected = {} }, path) => [
    ...modeErrors(projected.defaultMode, `${path}.defaultMode`),
    ...projectionErrors(projected, path),
  ],
  nfs({ nfs }, path) {
    const isAbsolute = nfs?.path?.startsWith("/") === true;
    return [
      ...present(`${path}.server`, nfs?.server),
      ...present(`${path}.path`, nfs?.path),
      ...(isAbsolute ? [] : [invalid(`${path}.path`, nfs?.path ?? "", "must be an absolute path")]),
    ];
  },
  persistentVolumeClaim: ({ persistentVolumeClaim }, path) =>
    present(`${path}.claimName`, persistentVolumeClaim?.claimName),
  csi: ({ csi }, path) => [
    ...present(`${path}.driver`, csi?.driver),
    ...named(`${path}.driver`, (csi?.driver ?? "").toLowerCase(), dnsSubdomain),
  ],
  ephemeral: ({ ephemeral }, path) =>
    present(`${path}.volumeClaimTemplate`, ephemeral?.volumeClaimTemplate),
};

function modeErrors(mode: number | undefined, field: string): FieldError[] {
  const [wrong] = within(field, mode, fileModes);
  if (wrong === undefined) return [];
  const detail = "must be a number between 0 and 0777 (octal), both inclusive";
  return [{ ...wrong, detail }];
}

function itemErrors({ key, path: target, mode }: KeyToPath, path: string): FieldError[] {
  return [
    ...present(`${path}.key`, key),
    ...present(`${path}.path`, target),
    ...localPathErrors(target, `${path}.path`),
    ...modeErrors(mode, `${path}.mode`),
  ];
}

function fileErrors(file: DownwardAPIVolumeFile, path: string): FieldError[] {
  const { fieldRef, resourceFieldRef } = file;
  const both = "fieldRef and resourceFieldRef can not be specified simultaneously";
  const none = "one of fieldRef and resourceFieldRef is required";
  return [
    ...present(`${path}.path`, file.path),
    ...localPathErrors(file.path, `${path}.path`),
    ...(fieldRef === undefined ? [] : fieldErrors(fieldRef, `${path}.fieldRef`, fileFields)),
    ...(fieldRef !== undefined && resourceFieldRef !== undefined
      ? [invalid(path, "resource", both)]
      : []),
    ...(fieldRef === undefined && resourceFieldRef !== undefined
      ? [
          ...containerNameErrors(resourceFieldRef, `${path}.resourceFieldRef`),
          ...resourceFieldErrors(resourceFieldRef, `${path}.resourceFieldRef`),
        ]
      : []),
    ...(fieldRef === undefined && resourceFieldRef === undefined ? [required(path, none)] : []),
    ...modeErrors(file.mode, `${path}.mode`),
  ];
}

function projectionErrors({ sources }: ProjectedVolumeSource, path: string): FieldError[] {
  const paths = new Set<string>();
  return each(sources, `${path}.sources`, (source, one) => [
    ...(["secret", "configMap"] as const).flatMap((kind) => {
      const projection = source[kind];
      if (projection === undefined) return [];
      return [
        ...present(`${one}.${kind}.name`, projection.name),
        ...each(projection.items, `${one}.${kind}.items`, itemErrors),
      ];
    }),
    ...(source.downwardAPI?.items ?? []).flatMap((file) => fileErrors(file, `${one}.downwardAPI`)),
    ...tokenErrors(source, path, one),
    ...repeatedPaths(source, paths).map(({ value }) =>
      invalid(path, value, "conflicting duplicate paths"),
    ),
    ...(Object.keys(source).length > 1
      ? [forbidden(one, "may not specify more than 1 volume type per source")]
      : []),
  ]);
}

function tokenErrors(
  { serviceAccountToken: token }: VolumeProjection,
  path: string,
  one: string,
): FieldError[] {
  if (token === undefined) return [];
  const { expirationSeconds = tokenSeconds.least } = token;
  const field = `${one}.serviceAccountToken.expirationSeconds`;
  const isShort = expirationSeconds < tokenSeconds.least;
  const isLong = expirationSeconds > tokenSeconds.most;
  const detail = `may not specify a duration ${isShort ? "less than 10 minutes" : "larger than 2^32 seconds"}`;
  return [
    ...(isShort || isLong ? [invalid(field, expirationSeconds, detail)] : []),
    ...present(`${path}.path`, token.path),
    ...localPathErrors(token.path, `${path}.path`),
  ];
}

function repeatedPaths(source: VolumeProjection, paths: Set<string>): { value: string }[] {
  const { secret, configMap, downwardAPI } = source;
  const files = [
    ...(secret?.items ?? []).map((item) => ({ path: item.path, value: secret?.name ?? "" })),
    ...(configMap?.items ?? []).map((item) => ({ path: item.path, value: configMap?.name ?? "" })),
    ...(downwardAPI?.items ?? []).map(({ path }) => ({ path, value: path })),
  ];
  return files.filter(({ path }) => path && isRepeated(paths, path));
}
