export * from "@capstan/kinds/discovery.k8s.io/v1";
