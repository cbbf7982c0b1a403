// Addresses of pages. Every page has one that reloads and goes back.

export type Route =
  | { page: "chat"; conversation?: string }
  | { page: "inbox" }
  | { page: "files"; path: string; file?: string }
  | { page: "conversations" }
  | { page: "missing" };

const HOME = "~";

export function routeOf(location: { pathname: string; search: string }): Route {
  const [first, second, ...rest] = location.pathname.split("/").filter((part) => part !== "");
  if (first === undefined) return { page: "chat" };
  if (first === "c" && second !== undefined && rest.length === 0) {
    return second === "new" ? { page: "chat" } : { page: "chat", conversation: decodeURIComponent(second) };
  }
  if (second !== undefined) return { page: "missing" };
  switch (first) {
    case "inbox":
      return { page: "inbox" };
    case "conversations":
      return { page: "conversations" };
    case "files":
      return filesRoute(new URLSearchParams(location.search));
    case "setup":
      return { page: "chat" };
    default:
      return { page: "missing" };
  }
}

export function addressOf(route: Route): string {
  switch (route.page) {
    case "chat":
      return route.conversation === undefined ? "/c/new" : `/c/${encodeURIComponent(route.conversation)}`;
    case "inbox":
      return "/inbox";
    case "conversations":
      return "/conversations";
    case "files":
      return filesAddress(route.path, route.file);
    case "missing":
      return "/";
  }
}

function filesRoute(query: URLSearchParams): Route {
  const file = query.get("file");
  return { page: "files", path: query.get("path") ?? HOME, ...(file === null ? {} : { file }) };
}

function filesAddress(path: string, file: string | undefined): string {
  const query = new URLSearchParams();
  if (path !== HOME) query.set("path", path);
  if (file !== undefined) query.set("file", file);
  return query.size === 0 ? "/files" : `/files?${query}`;
}
