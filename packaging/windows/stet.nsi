; Per-user installer, no administrator. makensis -DVERSION=0.1.0 -DSRC=folder -DICON=icon.ico -DNOTICES=third-party-notices.txt -DLICENSES=folder -DOUT=setup.exe stet.nsi
; SRC holds stet-desktop.exe, stet.exe and WebView2Loader.dll. A MicrosoftEdgeWebview2Setup.exe that lies beside the finished
; setup is offered when the runtime is missing; otherwise Microsoft's own download of it is.
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
LangString StillRunning ${LANG_ENGLISH} "${NAME} is still running. Close its window and what uses stet.exe, then try again."
LangString StillRunning ${LANG_SIMPCHINESE} "${NAME} 仍在运行。请关闭其窗口以及正在使用 stet.exe 的程序,然后重试。"
LangString InstallWebView ${LANG_ENGLISH} "${NAME} needs the Microsoft Edge WebView2 Runtime, which was not found. Install it now?"
LangString InstallWebView ${LANG_SIMPCHINESE} "${NAME} 需要 Microsoft Edge WebView2 运行时,但未找到。现在安装吗?"
LangString FetchWebView ${LANG_ENGLISH} "${NAME} needs the Microsoft Edge WebView2 Runtime, which was not found. Download its setup from Microsoft now?"
LangString FetchWebView ${LANG_SIMPCHINESE} "${NAME} 需要 Microsoft Edge WebView2 运行时,但未找到。现在从微软下载其安装程序吗?"
LangString Markdown ${LANG_ENGLISH} "Markdown document"
LangString Markdown ${LANG_SIMPCHINESE} "Markdown 文档"
LangString Word ${LANG_ENGLISH} "Word document"
LangString Word ${LANG_SIMPCHINESE} "Word 文档"
LangString Workbook ${LANG_ENGLISH} "Excel workbook"
LangString Workbook ${LANG_SIMPCHINESE} "Excel 工作簿"
LangString Deck ${LANG_ENGLISH} "PowerPoint presentation"
LangString Deck ${LANG_SIMPCHINESE} "PowerPoint 演示文稿"

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

; Whether the program $1 can be replaced: $0 is "no" while it runs.
!macro IsFree PREFIX
Function ${PREFIX}IsFree
  StrCpy $0 "yes"
  IfFileExists "$1" 0 done
  ClearErrors
  FileOpen $2 "$1" a
  IfErrors 0 +3
  StrCpy $0 "no"
  Goto done
  FileClose $2
  done:
FunctionEnd
!macroend
!insertmacro IsFree ""
!insertmacro IsFree "un."

Section "Install"
  SetOutPath "$INSTDIR"
  ; Nothing is written while an older one runs: half an upgrade would be worse than none.
  retry:
  StrCpy $1 "$INSTDIR\${EXE}"
  Call IsFree
  StrCpy $1 "$INSTDIR\stet.exe"
  StrCmp $0 "no" +2
  Call IsFree
  StrCmp $0 "no" 0 free
  IfSilent 0 +3
  SetErrorLevel 2
  Quit
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(StillRunning)" IDRETRY retry
  SetErrorLevel 2
  Quit
  free:
  File "${SRC}/${EXE}"
  File "${SRC}/stet.exe"
  File "${SRC}/WebView2Loader.dll"
  File "/oname=third-party-notices.txt" "${NOTICES}"
  File "/oname=LICENSE-MIT.txt" "${LICENSES}/LICENSE-MIT"
  File "/oname=LICENSE-APACHE.txt" "${LICENSES}/LICENSE-APACHE"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateDirectory "$SMPROGRAMS"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${EXE}"
  WriteRegStr HKCU "Software\${ID}" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "Software\${ID}\Capabilities" "ApplicationName" "${NAME}"
  WriteRegStr HKCU "Software\${ID}\Capabilities" "ApplicationDescription" "${NAME}"
  WriteRegStr HKCU "Software\RegisteredApplications" "${NAME}" "Software\${ID}\Capabilities"
  !insertmacro Assoc "md"   "${ID}.md"   "$(Markdown)"
  !insertmacro Assoc "docx" "${ID}.docx" "$(Word)"
  !insertmacro Assoc "xlsx" "${ID}.xlsx" "$(Workbook)"
  !insertmacro Assoc "pptx" "${ID}.pptx" "$(Deck)"
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
  ; The WebView2 runtime, of the machine or of the user; 0.0.0.0 is what a removed one leaves.
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\${WV2}" "pv"
  StrCmp $0 "0.0.0.0" +2
  StrCmp $0 "" 0 done
  ReadRegStr $0 HKCU "Software\Microsoft\EdgeUpdate\Clients\${WV2}" "pv"
  StrCmp $0 "0.0.0.0" +2
  StrCmp $0 "" 0 done
  IfSilent done
  IfFileExists "$EXEDIR\MicrosoftEdgeWebview2Setup.exe" 0 link
  MessageBox MB_YESNO|MB_ICONQUESTION "$(InstallWebView)" IDNO done
  ExecWait '"$EXEDIR\MicrosoftEdgeWebview2Setup.exe" /install'
  Goto done
  link:
  MessageBox MB_YESNO|MB_ICONQUESTION "$(FetchWebView)" IDNO done
  ExecShell "open" "https://go.microsoft.com/fwlink/p/?LinkId=2124703"
  done:
SectionEnd

Section "Uninstall"
  retry:
  StrCpy $1 "$INSTDIR\${EXE}"
  Call un.IsFree
  StrCpy $1 "$INSTDIR\stet.exe"
  StrCmp $0 "no" +2
  Call un.IsFree
  StrCmp $0 "no" 0 free
  IfSilent 0 +3
  SetErrorLevel 2
  Quit
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(StillRunning)" IDRETRY retry
  SetErrorLevel 2
  Quit
  free:
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
  Delete "$INSTDIR\LICENSE-MIT.txt"
  Delete "$INSTDIR\LICENSE-APACHE.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd
