; Per-user installer, no administrator. makensis -DVERSION=0.1.0 -DSRC=folder -DICON=icon.ico -DNOTICES=third-party-notices.txt -DOUT=setup.exe stet.nsi
; SRC holds stet-desktop.exe, stet.exe, WebView2Loader.dll and, when it was put there, MicrosoftEdgeWebview2Setup.exe.
Unicode true
Target amd64-unicode
!define NAME "Stet"
!define EXE "stet-desktop.exe"
!define ID "dev.stet.desktop"
!define UNKEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${ID}"
!define WV2 "{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"
!include MUI2.nsh
!include FileFunc.nsh
Name "${NAME}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "Software\${ID}" "InstallDir"
SetCompressor /SOLID lzma
ManifestDPIAware true
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "${NAME}"
VIAddVersionKey FileDescription "${NAME} setup"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey LegalCopyright "The Stet authors"
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\${EXE}"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE SimpChinese

!macro Assoc EXT PROGID DESC
  WriteRegStr HKCU "Software\Classes\${PROGID}" "" "${DESC}"
  WriteRegStr HKCU "Software\Classes\${PROGID}\DefaultIcon" "" '"$INSTDIR\${EXE}",0'
  WriteRegStr HKCU "Software\Classes\${PROGID}\shell\open\command" "" '"$INSTDIR\${EXE}" "%1"'
  WriteRegStr HKCU "Software\Classes\.${EXT}\OpenWithProgids" "${PROGID}" ""
  WriteRegStr HKCU "Software\${ID}\Capabilities\FileAssociations" ".${EXT}" "${PROGID}"
!macroend
!macro UnAssoc EXT PROGID
  DeleteRegValue HKCU "Software\Classes\.${EXT}\OpenWithProgids" "${PROGID}"
  DeleteRegKey /ifempty HKCU "Software\Classes\.${EXT}\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "Software\Classes\.${EXT}"
  DeleteRegKey HKCU "Software\Classes\${PROGID}"
!macroend

Section "Install"
  SetOutPath "$INSTDIR"
  retry:
  IfFileExists "$INSTDIR\${EXE}" 0 free
  ClearErrors
  FileOpen $1 "$INSTDIR\${EXE}" a
  IfErrors 0 closed
  IfSilent 0 +3
  SetErrorLevel 2
  Abort
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "${NAME} is still running. Close it, then try again." IDRETRY retry
  Abort
  closed:
  FileClose $1
  free:
  File "${SRC}/${EXE}"
  ; An older version that is still running holds its files; ask rather than leave half an upgrade.
  File "${SRC}/stet.exe"
  File "${SRC}/WebView2Loader.dll"
  File "/oname=third-party-notices.txt" "${NOTICES}"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateDirectory "$SMPROGRAMS"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${EXE}"
  WriteRegStr HKCU "Software\${ID}" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "Software\${ID}\Capabilities" "ApplicationName" "${NAME}"
  WriteRegStr HKCU "Software\${ID}\Capabilities" "ApplicationDescription" "${NAME}"
  WriteRegStr HKCU "Software\RegisteredApplications" "${NAME}" "Software\${ID}\Capabilities"
  !insertmacro Assoc "md"   "${ID}.md"   "Markdown document"
  !insertmacro Assoc "docx" "${ID}.docx" "Word document"
  !insertmacro Assoc "xlsx" "${ID}.xlsx" "Excel workbook"
  !insertmacro Assoc "pptx" "${ID}.pptx" "PowerPoint presentation"
  WriteRegStr HKCU "${UNKEY}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNKEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNKEY}" "DisplayIcon" '"$INSTDIR\${EXE}"'
  WriteRegStr HKCU "${UNKEY}" "Publisher" "The Stet authors"
  WriteRegStr HKCU "${UNKEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNKEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNKEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNKEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNKEY}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNKEY}" "EstimatedSize" "$0"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
  ; WebView2 runtime present? (per machine or per user)
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\${WV2}" "pv"
  StrCmp $0 "" 0 +2
  ReadRegStr $0 HKCU "Software\Microsoft\EdgeUpdate\Clients\${WV2}" "pv"
  StrCmp $0 "" 0 done
  IfSilent done
  IfFileExists "$EXEDIR\MicrosoftEdgeWebview2Setup.exe" 0 link
  MessageBox MB_YESNO|MB_ICONQUESTION "${NAME} needs the Microsoft Edge WebView2 Runtime, which was not found. Install it now?" IDNO done
  ExecWait '"$EXEDIR\MicrosoftEdgeWebview2Setup.exe" /install'
  Goto done
  link:
  MessageBox MB_YESNO|MB_ICONQUESTION "${NAME} needs the Microsoft Edge WebView2 Runtime, which was not found. Open its download page?" IDNO done
  ExecShell "open" "https://developer.microsoft.com/microsoft-edge/webview2/"
  done:
SectionEnd

Section "Uninstall"
  !insertmacro UnAssoc "md"   "${ID}.md"
  !insertmacro UnAssoc "docx" "${ID}.docx"
  !insertmacro UnAssoc "xlsx" "${ID}.xlsx"
  !insertmacro UnAssoc "pptx" "${ID}.pptx"
  DeleteRegValue HKCU "Software\RegisteredApplications" "${NAME}"
  DeleteRegKey HKCU "Software\${ID}"
  DeleteRegKey HKCU "${UNKEY}"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  Delete "$INSTDIR\${EXE}"
  Delete "$INSTDIR\stet.exe"
  Delete "$INSTDIR\WebView2Loader.dll"
  Delete "$INSTDIR\third-party-notices.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd
