// Node reads TypeScript with a compiler that takes 17 MB and never gives them back. What it has made of
// the sources is kept on disk, so whoever had to make it begins anew from there.

import { dirname } from "node:path";

const marker = "TANDEM_STARTED_AGAIN";

/** Call it when everything is loaded. Does not return from a process that begins anew. */
export function beginAnewIfCompiling(): void {
  const { flushCompileCache, getCompileCacheDir } = process.getBuiltinModule("node:module");
  const directory = getCompileCacheDir();
  // Where nothing can be kept, it would begin anew for ever.
  if (directory === undefined || process.env[marker] !== undefined || !isCompiling()) return;
  flushCompileCache();
  const { execArgv, execPath, argv, env } = process;
  const kept = { NODE_COMPILE_CACHE: dirname(directory), [marker]: "1" };
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...kept });
}

function isCompiling(): boolean {
  const { moduleLoadList } = process as { moduleLoadList?: readonly string[] };
  return moduleLoadList?.some((name) => name.includes("/amaro/")) ?? false;
}
