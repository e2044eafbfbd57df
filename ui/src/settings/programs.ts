/** What a program that speaks MCP puts into its configuration to start Stet. */
export function mcpConfiguration(command: string, root: string, commits: boolean): string {
  const args = ['mcp', '--root', root, commits ? '--commit' : '--stage'];
  return JSON.stringify({ mcpServers: { stet: { command, args } } }, null, 2);
}
