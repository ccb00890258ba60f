// Names of images: `nginx`, `registry.example:5000/team/web:1.2@sha256:…`.

const part = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const host =
  "[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*";
const reference = new RegExp(
  `^(?:(?:${host}|\\[[0-9a-fA-F:]+\\])(?::\\d+)?/)?${part}(?:/${part})*(?::(\\w[\\w.-]{0,127}))?(@[A-Za-z0-9+._-]+:[0-9a-fA-F]{32,})?$`,
);

/** Returns the pull policy: an image without a version, or `latest`, may change; others do not. */
export function defaultPullPolicy(image: string | undefined): "Always" | "IfNotPresent" {
  const match = reference.exec(image ?? "");
  if (match === null) return "IfNotPresent";
  const [, tag, digest] = match;
  const isLatest = tag === "latest" || (tag === undefined && digest === undefined);
  return isLatest ? "Always" : "IfNotPresent";
}
