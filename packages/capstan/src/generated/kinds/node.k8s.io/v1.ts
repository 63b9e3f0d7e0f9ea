export * from "@capstan/kinds/node.k8s.io/v1";
