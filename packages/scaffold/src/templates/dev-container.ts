/** The development environment of a project: a dev container and a linter. */

/** .devcontainer/devcontainer.json */
export const devContainer: string = `${JSON.stringify(
  {
    name: "operator",
    image: "docker.io/library/node:24",
    features: { "ghcr.io/devcontainers/features/kubectl-helm-minikube:1": { minikube: "none" } },
    postCreateCommand: "npm install",
    // What real pods of an embedded cluster need.
    runArgs: ["--privileged"],
    customizations: { vscode: { extensions: ["oxc.oxc-vscode", "redhat.vscode-yaml"] } },
  },
  undefined,
  2,
)}
`;

/** .oxlintrc.json: a reconcile that forgets to wait does half of its work, so promises are looked at first. */
export const linterSettings: string = `${JSON.stringify(
  {
    categories: { correctness: "error" },
    plugins: ["typescript", "promise", "node"],
    rules: {
      "typescript/no-floating-promises": [
        "error",
        // What the test runner answers with is its own business.
        { allowForKnownSafeCalls: [{ from: "package", name: ["describe", "suite", "test"], package: "node:test" }] },
      ],
      "typescript/switch-exhaustiveness-check": "error",
      "typescript/no-explicit-any": "error",
    },
    ignorePatterns: ["node_modules", "dist"],
  },
  undefined,
  2,
)}
`;

/** What the linter is installed as. */
export const linterPackages = { oxlint: "1.89.0", "oxlint-tsgolint": "7.0.2004" } as const;
