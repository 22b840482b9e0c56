/**
 * The scripts next to nodes for Windows: thin, over the same commands as those for bash. Lines end
 * as cmd.exe wants them. Source: generator 13 (6)
 */
import { PROGRAM_ENTRY, PROGRAM_FOLDER } from "./node-scripts.ts";

/** As cmd.exe reads a file: it loses labels in one with bare line feeds. */
function cmd(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

const ENTRY = PROGRAM_ENTRY.replaceAll("/", "\\");

/**
 * A launcher of the program folder next to it or one level up, or of an installation.
 * @param command the command of chain-node that it is; the program itself when absent
 * @param places folders that may hold the program folder, from the script's own, with slashes
 * @param entry that of the installation which writes it; none when empty
 */
export function launcherCmd(
  command?: string,
  places: readonly string[] = ["", "/.."],
  entry = "",
): string {
  const given = command === undefined ? "%*" : `${command} %*`;
  const entries = places.map((place) => {
    const folder = place === "" ? "" : `${place.slice(1).replaceAll("/", "\\")}\\`;
    return `"%~dp0${folder}${PROGRAM_FOLDER}\\${ENTRY}"`;
  });
  const installed = entry === "" ? [] : [`"${entry.replaceAll("%", "%%")}"`];
  const looks = [...entries, ...installed].map(
    (place) => `if exist ${place} (set entry=${place}& goto found)`,
  );
  return cmd(`@echo off
rem Runs chain-node: the one that CHAIN_NODE names; ${PROGRAM_FOLDER} next to this file or one level
rem up; the installation that wrote this file; or the PATH's.
setlocal
if not defined CHAIN_NODE goto look
set "program=%CHAIN_NODE%"
set CHAIN_NODE=
call "%program%" ${given}
exit /b %errorlevel%

:look
${looks.join("\n")}
where chain-node.cmd > nul 2> nul
if errorlevel 1 goto missing
if defined CHAIN_NODE_SOUGHT goto missing
set CHAIN_NODE_SOUGHT=1
for /f "delims=" %%F in ('where chain-node.cmd') do set "program=%%F"
call "%program%" ${given}
exit /b %errorlevel%

:found
where node > nul 2> nul
if errorlevel 1 (
  echo Node.js is not found: install it, or put its folder on the PATH 1>&2
  exit /b 127
)
node %entry% ${given}
exit /b %errorlevel%

:missing
echo chain-node is not found: put ${PROGRAM_FOLDER} next to %~dp0 or into it, 1>&2
echo install chain-node, or set CHAIN_NODE to its path 1>&2
exit /b 127
`);
}

/** chain-node.cmd. */
export const LAUNCHER_CMD = launcherCmd();

/**
 * In the node's folder: its name, and its process in `pid` where that runs.
 * @param home the node's folder as seen from that of the script
 */
const findNode = (home: "" | "..") => `setlocal
cd /d "%~dp0${home}"
for %%D in ("%cd%") do set "name=%%~nxD"
set "data=data"
for /f "tokens=1,2 delims== " %%K in (config.ini) do if "%%K"=="group_data_path" set "data=%%L"
if "%data:~-1%"=="/" set "data=%data:~0,-1%"
set "data=%data:/=\\%"
set "pid="
if exist "%data%\\lock\\owner" set /p pid=<"%data%\\lock\\owner"
if defined pid (
  tasklist /fi "PID eq %pid%" /fi "IMAGENAME eq node.exe" | find "%pid%" > nul || set "pid="
)`;

/** start.cmd: exit code 0 when the node runs, and when it ran before. */
export const START_CMD = cmd(`@echo off
rem Starts the node of this folder and waits until it says that it is running.
${findNode("")}
if defined pid (
  echo %name% is running, pid is %pid%
  exit /b 0
)
if exist nohup.out move /y nohup.out nohup.old.out > nul
start "%name%" /b cmd /c "chain-node.cmd start -c config.ini > nohup.out 2>&1 < nul"
for /l %%I in (1,1,60) do (
  ping -n 2 127.0.0.1 > nul
  findstr /b /c:"running  " nohup.out > nul 2> nul
  if not errorlevel 1 (
    echo %name% start successfully
    exit /b 0
  )
)
echo %name% has not said within 60 s that it is running; "%cd%\\nohup.out" says:
type nohup.out
exit /b 1
`);

/** stop.cmd: exit code 0 when the node has ended, and when it did not run. */
export const STOP_CMD = cmd(`@echo off
rem Ends the node of this folder. What it has written is whole: a node may be cut off at any time.
${findNode("")}
if not defined pid (
  echo %name% is not running
  exit /b 0
)
taskkill /f /pid %pid% > nul
if errorlevel 1 (
  echo %name% ^(pid %pid%^) cannot be ended: stop it as the user who started it
  exit /b 1
)
echo %name% stop successfully
`);

/** Has the running node take the file `signal`, which it looks for ten times a second. */
function signalCmd(signal: string, what: string, end: string): string {
  return cmd(`@echo off
rem Has the running node of this folder ${what}.
${findNode("..")}
if not defined pid (
  echo %name% is not running: start.cmd starts it
  exit /b 0
)
type nul > ${signal}
for /l %%I in (1,1,10) do (
  ping -n 2 127.0.0.1 > nul
  if not exist ${signal} goto taken
)
echo %name% has not taken ${signal} within 10 s; see "%cd%\\nohup.out"
exit /b 1

:taken
${end}
`);
}

/** scripts\load_new_groups.cmd: new groups are registered; startGroup starts them. */
export const LOAD_NEW_GROUPS_CMD = signalCmd(
  "config.ini.append_group",
  "load the groups whose files were added to its conf folder",
  `rem A group that was never started waits for startGroup.
for /d %%D in ("%data%\\group*") do (
  if not exist "%%D\\.group_status" <nul set /p "=STOPPED" > "%%D\\.group_status"
)
echo %name% has loaded its new groups; startGroup starts them`,
);

/** scripts\reload_whitelist.cmd: the node checks the list, and says in its log what is wrong. */
export const RELOAD_WHITELIST_CMD = signalCmd(
  "config.ini.reset_certificate_whitelist",
  "read the whitelist of config.ini again",
  `echo %name% reads its whitelist again; where that cannot be used, its log says so`,
);

/** A script that runs another one of every node in its folder. */
function everyNode(script: string, says: string): string {
  return cmd(`@echo off
rem Runs ${script} of every node in this folder, one after another.
setlocal
cd /d "%~dp0"
set code=0
for /d %%D in (*) do if exist "%%D\\config.ini" (
  if exist "%%D\\${script}" (
    echo try to ${says} %%D
    call "%%D\\${script}" || set code=1
  ) else (
    echo %%D has no ${script}: copy the scripts of another node of this folder into it
    set code=1
  )
)
exit /b %code%
`);
}

/** start_all.cmd. */
export const START_ALL_CMD = everyNode("start.cmd", "start");
/** stop_all.cmd. */
export const STOP_ALL_CMD = everyNode("stop.cmd", "stop");

/** start.cmd of a console's folder. Source: console 1 */
export const CONSOLE_CMD = cmd(`@echo off
rem A session: start.cmd [group] [-pem file ^| -p12 file]
call "%~dp0chain-node.cmd" console --config "%~dp0conf\\config.toml" %*
exit /b %errorlevel%
`);
