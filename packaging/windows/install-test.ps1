# install-test.ps1 SETUP.EXE: silent install on real Windows, files, registry, one real edit and its undo, silent uninstall.
param([Parameter(Mandatory)] [string] $Setup)
$ErrorActionPreference = "Stop"
$script:failed = $false
function Check($what, $holds) { if ($holds) { "ok   $what" } else { "FAIL $what"; $script:failed = $true } }
$id = "dev.stet.desktop"
$folder = Join-Path $env:LOCALAPPDATA "Programs\Stet"
Start-Process -Wait $Setup -ArgumentList "/S"
foreach ($file in "stet-desktop.exe", "stet.exe", "uninstall.exe") { Check $file (Test-Path (Join-Path $folder $file)) }
foreach ($extension in "md", "docx", "xlsx", "pptx") {
    $key = "HKCU:\Software\Classes\.$extension\OpenWithProgids"
    Check ".$extension is offered" ((Get-Item $key).Property -contains "$id.$extension")
}
$work = Join-Path ([IO.Path]::GetTempPath()) ("stet " + [char]0xFC + " " + [Guid]::NewGuid())
New-Item -ItemType Directory $work | Out-Null
$note = Join-Path $work "note.md"
[IO.File]::WriteAllText($note, "one`r`ntwo`r`n")
$ops = Join-Path $work "ops.json"
[IO.File]::WriteAllText($ops, '[{"op":"replace_text","find":"two","replace":"three"}]')
$stet = Join-Path $folder "stet.exe"
& $stet apply $note --ops $ops --expected-rev current --json | Out-Null
Check "edits a file" ([IO.File]::ReadAllText($note) -eq "one`r`nthree`r`n")
& $stet undo $note | Out-Null
Check "undoes it" ([IO.File]::ReadAllText($note) -eq "one`r`ntwo`r`n")
Start-Process -Wait (Join-Path $folder "uninstall.exe") -ArgumentList "/S", "_?=$folder"
Check "the programs are gone" (-not (Test-Path $stet))
Check "the registry is clean" (-not (Test-Path "HKCU:\Software\Classes\$id.docx"))
if ($script:failed) { exit 1 }
