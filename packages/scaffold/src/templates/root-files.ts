/** The files at the root of a project. */
import type { Extra, Inputs } from "../project/inputs.ts";
import { linterPackages } from "./dev-container.ts";

/** Whether the framework comes from a checkout instead of a registry. */
export function isCheckout({ capstan }: Inputs): boolean {
  return capstan.startsWith("file:");
}

/** Whether a project has something besides. */
export function hasExtra({ extras = [] }: Inputs, extra: Extra): boolean {
  return extras.includes(extra);
}

const condition = "--conditions=@capstan/source";

/** package.json */
export function packageFile(inputs: Inputs): string {
  const { name, capstan } = inputs;
  const flags = isCheckout(inputs) ? ` ${condition}` : "";
  return json({
    name,
    version: "0.1.0",
    private: true,
    description: `The ${name} for Kubernetes.`,
    type: "module",
    main: "./src/main.ts",
    scripts: {
      start: `node${flags} src/main.ts`,
      dev: "capstan dev",
      check: "tsc --noEmit",
      ...(hasExtra(inputs, "linter") ? { lint: "oxlint --type-aware --deny-warnings" } : {}),
      test: `node${flags} --test "src/**/*.test.ts"`,
      ...(hasExtra(inputs, "end-to-end-test") ? { "test:e2e": `node${flags} --test "e2e/*.test.ts"` } : {}),
    },
    dependencies: { capstan: isCheckout(inputs) ? `${capstan}/packages/capstan` : capstan },
    devDependencies: {
      "@types/node": "24.19.2",
      ...(hasExtra(inputs, "linter") ? linterPackages : {}),
      typescript: "7.0.2",
    },
    engines: { node: ">=24.2" },
    // No package needs its install script; without this line, npm warns of one.
    ...(inputs.templates < 4 ? {} : { allowScripts: { protobufjs: false } }),
  });
}

/** tsconfig.json */
export function tsconfigFile(inputs: Inputs): string {
  return json({
    compilerOptions: {
      target: "es2024",
      lib: ["esnext"],
      types: ["node"],
      module: "nodenext",
      ...(isCheckout(inputs) ? { customConditions: ["@capstan/source"] } : {}),
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      skipLibCheck: true,
    },
    include: hasExtra(inputs, "end-to-end-test") ? ["src", "e2e"] : ["src"],
  });
}

/** .gitignore */
export const gitignoreFile = "node_modules/\ndist/\n.capstan/\n.env\n";

/** Containerfile: any builder reads it (buildah, podman, kaniko, docker). */
export const containerFile = `# Any builder reads this: buildah, podman, kaniko, docker. No step needs root in the cluster.
FROM docker.io/library/node:24-slim AS dependencies
WORKDIR /operator
COPY package.json package-lock.json* ./
RUN npm install --omit=dev --no-audit --no-fund

FROM docker.io/library/node:24-slim
WORKDIR /operator
COPY --from=dependencies /operator/node_modules ./node_modules
COPY package.json ./
COPY src ./src
USER 65532:65532
ENTRYPOINT ["node", "src/main.ts"]
`;

/** .vscode/launch.json: breakpoints in the running operator and in tests. */
export function launchFile(inputs: Inputs): string {
  const skipFiles = ["<node_internals>/**"];
  const flags = isCheckout(inputs) ? [condition] : [];
  return json({
    version: "0.2.0",
    configurations: [
      {
        // `npx capstan dev --inspect 9229` listens there, also after a reload.
        name: "Attach to capstan dev --inspect 9229",
        type: "node",
        request: "attach",
        port: 9229,
        restart: true,
        skipFiles,
      },
      {
        name: "Test this file",
        type: "node",
        request: "launch",
        runtimeArgs: [...flags, "--test", "--test-isolation=none"],
        args: ["${file}"],
        console: "integratedTerminal",
        skipFiles,
      },
      {
        name: "Run the operator on the cluster of KUBECONFIG",
        type: "node",
        request: "launch",
        runtimeArgs: flags,
        program: "${workspaceFolder}/src/main.ts",
        skipFiles,
      },
    ],
  });
}

/** .github/workflows/ci.yml */
export function workflowFile(inputs: Inputs): string {
  const lint = hasExtra(inputs, "linter") ? "      - run: npm run lint\n" : "";
  return `name: ci
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run check
${lint}      - run: npm test
      - run: npx capstan generate manifests --image example.com/operator:ci > install.yaml
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
