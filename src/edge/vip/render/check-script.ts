import type { VipUse } from "../cluster.ts";
import type { VipSettings } from "../settings.ts";
import { healthPath } from "./haproxy.ts";

/** Renders a script that exits with 0 while this node can serve a use. It needs nothing but bash. */
export function renderCheckScript(use: VipUse, settings: VipSettings): string {
  const { port, path } =
    use === "api" ? { port: settings.healthPort, path: healthPath } : settings.ingressCheck;
  const connect = `exec 3<>/dev/tcp/127.0.0.1/${port}`;
  const ask = [
    `printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3`,
    "read -r -t 1 version status rest <&3",
    '[ "$status" = 200 ]',
  ];
  const lines = ["#!/bin/bash", "set -e", connect, ...(path === undefined ? [] : ask)];
  return `${lines.join("\n")}\n`;
}
