/** /version: the Kubernetes version. */
import type { Json } from "@capstan/model";

/** The Kubernetes release that this server reproduces. */
export const servedVersion: Json = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "node",
};
