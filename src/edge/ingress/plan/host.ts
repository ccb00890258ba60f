import { UnfitValue } from "./problem.ts";

/** Parses a host: "" is every host without a rule; in `*.example.com` the star is one label. */
export function readHost(host: string | undefined): string {
  const text = (host ?? "").toLowerCase();
  if (text === "") return "";
  const label = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
  if (text.length > 253 || !new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`).test(text)) {
    throw new UnfitValue("expected a host name, or one with *. before it");
  }
  return text;
}

/** Whether a certificate's host, which may be a wildcard, covers the host of a rule. */
export function coversHost(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  return pattern.startsWith("*.") && host.replace(/^[^.]+/, "*") === pattern;
}
