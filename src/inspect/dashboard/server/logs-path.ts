import { tailLines } from "../model/log-lines.ts";

/** Returns the path at which the API server has the log of a container, and goes on telling it. */
export function logsPath(query: URLSearchParams): string {
  const part = (name: string): string => encodeURIComponent(query.get(name) ?? "");
  const options = new URLSearchParams({ follow: "true", tailLines: String(tailLines) });
  const container = query.get("container") ?? "";
  if (container !== "") options.set("container", container);
  if (query.get("previous") === "true") {
    options.set("previous", "true");
    options.delete("follow");
  }
  return `/api/v1/namespaces/${part("namespace")}/pods/${part("name")}/log?${options.toString()}`;
}
