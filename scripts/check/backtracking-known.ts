/** Known expressions that backtrack. Each line is removed with its expression; new ones are not added. */
import type { Known } from "./backtracking.ts";

export const knownBacktracking: readonly Known[] = [
  {
    file: "operators/etcd/src/duration.ts",
    expression: String.raw`/(\d+)([smhd])/g`,
    reason: "fields of the operator's own kind, whose schema bounds them",
  },
  {
    file: "operators/etcd/src/pods/protected-fields.ts",
    expression: String.raw`/\/+$/u`,
    reason: "fields of the operator's own kind, whose schema bounds them",
  },
  {
    file: "packages/apiserver/src/outgoing/proxied-page.ts",
    expression: String.raw`/^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?)([^?#]*)([^]*)$/`,
    reason: "links of proxied pages: bounded together with the rewriting of pages",
  },
  {
    file: "packages/bundle/src/validate/descriptor-paths.ts",
    expression: String.raw`/\[[^\]]*\]/g`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/bundle/src/validate/additional.ts",
    expression: String.raw`/\.v(\d+\.\d+\.\d+.*)$/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/bundle/src/validate/good-practices.ts",
    expression: String.raw`/([0-9]+)\.([0-9]+)\.([0-9]+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+)?$/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/cluster/src/cron-job/schedule.ts",
    expression: String.raw`/^(?:CRON_)?TZ=(\S+)\s+(.*)$/u`,
    reason: "a schedule that the server has checked",
  },
  {
    file: "packages/node/src/agent/pull-secrets.ts",
    expression: String.raw`/\/+$/u`,
    reason: "names and outputs of programs on the node",
  },
  {
    file: "packages/node/src/linux/enter-kit.ts",
    expression: String.raw`/^\s*(\S+) => (\/\S+)/gm`,
    reason: "names and outputs of programs on the node",
  },
  {
    file: "packages/node/src/linux/enter-kit.ts",
    expression: String.raw`/^\s*(\/\S+) \(/m`,
    reason: "names and outputs of programs on the node",
  },
  {
    file: "packages/node/src/linux/pod-files.ts",
    expression: String.raw`/[-.]+$/`,
    reason: "names and outputs of programs on the node",
  },
  {
    file: "packages/oci/src/build/layer.ts",
    expression: String.raw`/^\/+|\/+$/g`,
    reason: "what registries answer: bounded together with the registry client",
  },
  {
    file: "packages/oci/src/build/program.ts",
    expression: String.raw`/(?:=>\s+)?(\/\S+)\s+\(0x/g`,
    reason: "what registries answer: bounded together with the registry client",
  },
  {
    file: "packages/oci/src/registry/challenge.ts",
    expression: String.raw`/(\w+)="([^"]*)"/g`,
    reason: "what registries answer: bounded together with the registry client",
  },
  {
    file: "packages/scaffold/src/generate/bundle.ts",
    expression: String.raw`/<([^>]*)>/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/scaffold/src/generate/bundle.ts",
    expression: String.raw`/\(([^)]*)\)/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/scaffold/src/generate/helm.ts",
    expression: String.raw`/( +)env:\n/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/scaffold/src/generate/helm.ts",
    expression: String.raw`/( +)resources:\n(?:\1 +.*\n)+/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/scaffold/src/generate/helm.ts",
    expression: String.raw`/( +)serviceAccountName:/`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/scaffold/src/generate/reference.ts",
    expression: String.raw`/\s*\n\s*/g`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/scaffold/src/project/names.ts",
    expression: String.raw`/([A-Z]+)([A-Z][a-z])/g`,
    reason: "files of the developer who runs the command",
  },
  {
    file: "packages/schema/src/print/jsonpath-parser.ts",
    expression: String.raw`/^[+-]?(\d+\.?\d*|\.\d+)$/`,
    reason: "values of custom objects: bounded together with patterns and formats",
  },
  {
    file: "packages/schema/src/print/jsonpath-parser.ts",
    expression: String.raw`/^ +| +$/g`,
    reason: "values of custom objects: bounded together with patterns and formats",
  },
  {
    file: "packages/schema/src/print/jsonpath-parser.ts",
    expression: String.raw`/^([^!<>=]+)([!<>=]+)(.+?)$/`,
    reason: "values of custom objects: bounded together with patterns and formats",
  },
  {
    file: "tools/kubernetes/src/go-module.ts",
    expression: String.raw`/^\s*(?:replace\s+)?(\S+) => \.\/staging\/\S+$/gm`,
    reason: "files of the developer who runs the command",
  },
];
