// The answer to `/version`: the Kubernetes version whose behaviour clients may rely on.
import { version } from "../../base/program/version.ts";

export const versionInfo = {
  major: "1",
  minor: "36",
  gitVersion: `v1.36.0+tandem-${version}`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "",
  goVersion: "",
  compiler: "node",
  platform: `linux/${process.arch === "x64" ? "amd64" : process.arch}`,
};
