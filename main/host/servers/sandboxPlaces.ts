import { isAbsolute, join } from 'node:path';

/** Where things lie that a confined server must not see, or that it needs all the same. Absolute paths; most do not exist on one computer. */
export interface SandboxPlaces {
  /** Keys, passwords, browser profiles, what was typed: nothing makes them readable. */
  secrets: string[];
  /** What other applications keep. A folder inside of one can be given to a server. */
  otherData: string[];
  /** Programs and their libraries inside of `otherData`. */
  tools: string[];
  /** In the home folder, where a server may write to it: what other programs run or obey by themselves, and so must not be changed. */
  homeStartFiles: string[];
}

const secrets = [
  ...['.ssh', '.gnupg', '.pki', '.password-store', '.local/share/keyrings', '.local/share/kwalletd', '.local/share/uv/credentials'],
  ...['.aws', '.azure', '.kube', '.docker', '.oci', '.fly', '.boto', '.s3cfg', '.databrickscfg', '.vault-token', '.terraform.d'],
  ...['.config/gh', '.config/glab-cli', '.config/hub', '.config/gcloud', '.config/op', '.config/doctl', '.config/rclone', '.config/sops'],
  ...['.config/age', '.config/git/credentials', '.git-credentials', '.netrc', '.pgpass', '.my.cnf', '.npmrc', '.yarnrc.yml', '.pypirc'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml', '.gradle/gradle.properties'],
  ...['.mozilla', '.librewolf', '.thunderbird', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/vivaldi'],
  ...['.config/microsoft-edge', '.config/opera', '.bitcoin', '.ethereum', '.electrum'],
  ...['.terraformrc', '.pulumi', '.ngrok2', '.kaggle', '.putty', '.Xauthority', '.purple', '.waterfox', '.zen', '.tor-browser'],
  ...['.mutt', '.muttrc', '.msmtprc', '.mbsyncrc', '.offlineimaprc', '.fetchmailrc', '.authinfo', '.authinfo.gpg', '.mylogin.cnf'],
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history', '.mysql_history', '.sqlite_history'],
  ...['.sh_history', '.rediscli_history', '.irb_history', '.lesshst', '.viminfo'],
];
const secretsOfMac = [
  ...['Library/Keychains', 'Library/Cookies', 'Library/Safari', 'Library/Mail', 'Library/Messages', 'Library/Accounts'],
  ...['Library/Application Support/Google/Chrome', 'Library/Application Support/Firefox', 'Library/Application Support/Chromium'],
  ...['Library/Application Support/BraveSoftware', 'Library/Application Support/Microsoft Edge', 'Library/Application Support/Arc'],
];
const otherData = [
  ...['.config', '.local/share', '.local/state', '.cache', '.var', 'snap'],
  ...['.claude', '.claude.json', '.codex', '.gemini', '.cursor', '.vscode', '.vscode-server', '.continue'],
];
const otherDataOfMac = [
  ...['Library/Application Support', 'Library/Preferences', 'Library/Containers', 'Library/Group Containers', 'Library/Caches'],
  ...['Library/HTTPStorages', 'Library/WebKit', 'Library/Saved Application State', 'Library/Calendars', 'Library/Mobile Documents'],
];
const tools = [
  ...['.config/nvm', '.config/git', '.config/fnm', '.cache/ms-playwright', '.cache/puppeteer'],
  ...['uv', 'pnpm', 'mise', 'fnm', 'nvm', 'pipx', 'virtualenvs', 'bun', 'rtx', 'asdf'].map((name) => `.local/share/${name}`),
];
const toolsOfMac = ['Library/Caches/ms-playwright', 'Library/Application Support/fnm', 'Library/Application Support/pypoetry'];
const homeStartFiles = [
  ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.gitconfig'],
  ...['.local/bin', 'bin', '.npm', '.nvm', '.pyenv', '.volta', '.cargo', '.bun', '.deno', 'Library/LaunchAgents'],
];

/** Pure: which places there are depends on nothing but who asks where. `dataDir` is Maitre's own. */
export function sandboxPlaces(here: {
  home: string;
  dataDir: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}): SandboxPlaces {
  const mac = here.platform === 'darwin';
  const atHome = (paths: readonly string[]): string[] => paths.map((path) => join(here.home, path));
  const moved = (...names: string[]): string[] =>
    names.flatMap((name) => {
      const path = here.env[name];
      return path !== undefined && isAbsolute(path) ? [path] : [];
    });
  return {
    secrets: [
      here.dataDir,
      ...atHome([...secrets, ...(mac ? secretsOfMac : [])]),
      ...moved('GNUPGHOME', 'PASSWORD_STORE_DIR', 'DOCKER_CONFIG', 'KUBECONFIG', 'AWS_SHARED_CREDENTIALS_FILE', 'NPM_CONFIG_USERCONFIG'),
      // Sockets of the session: its keychain, its agents for keys, its displays.
      ...(mac ? [] : ['/run/user']),
    ],
    otherData: [
      ...atHome([...otherData, ...(mac ? otherDataOfMac : [])]),
      ...moved('XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'),
    ],
    tools: atHome([...tools, ...(mac ? toolsOfMac : [])]),
    homeStartFiles: atHome(homeStartFiles),
  };
}
