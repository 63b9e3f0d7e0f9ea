export * from "@capstan/kinds/scheduling.k8s.io/v1";
